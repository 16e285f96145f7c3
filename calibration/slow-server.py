#!/usr/bin/env python3
"""Gives the document's server of a recording a think time:

    calibration/slow-server.py MILLISECONDS FROM.page.gz TO.page.gz

Recordings of files have none. All other waits become zero, and all later requests come later.
"""

import gzip
import json
import sys
from datetime import datetime, timedelta

DATE = "%Y-%m-%dT%H:%M:%S.%fZ"

milliseconds, source, target = float(sys.argv[1]), sys.argv[2], sys.argv[3]
with gzip.open(source) as file:
    recording = json.load(file)
page, (document, *others) = recording["log"]["pages"][0], recording["log"]["entries"]
page["_pagerace"]["atOnce"] = False
for name in ("onContentLoad", "onLoad"):
    page["pageTimings"][name] += milliseconds
document["timings"]["wait"] += milliseconds
document["time"] += milliseconds
for entry in others:
    wait = max(entry["timings"]["wait"], 0)
    entry["timings"]["wait"] -= wait
    entry["time"] -= wait
    started = datetime.strptime(entry["startedDateTime"], DATE)
    entry["startedDateTime"] = (started + timedelta(milliseconds=milliseconds)).strftime(DATE)
with gzip.GzipFile(target, "wb", mtime=0) as file:
    file.write(json.dumps(recording).encode())
