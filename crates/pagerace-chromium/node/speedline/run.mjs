// Standard input: {timeOrigin, events}, microseconds. Standard output:
// {speedIndex, frames: [[ms since timeOrigin, percent]]}.
import { readFileSync } from 'node:fs';
import speedline from 'speedline-core';

const { timeOrigin, events } = JSON.parse(readFileSync(0, 'utf8'));
const result = await speedline(events, { timeOrigin, fastMode: false, include: 'speedIndex' });
const frames = result.frames.map((frame) => [
  frame.getTimeStamp() - timeOrigin / 1000,
  frame.getProgress(),
]);
process.stdout.write(JSON.stringify({ speedIndex: result.speedIndex, frames }));
