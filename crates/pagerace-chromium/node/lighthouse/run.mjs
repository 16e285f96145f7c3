// Standard input: {url, port, device: {mobile, width, height, scale, userAgent},
// throttling: null | {rttMs, throughputKbps, cpuSlowdown}}. Standard output:
// {version, metrics, savings, error}. Attaches to a browser that is running.
import { readFileSync } from 'node:fs';
import lighthouse, { defaultConfig } from 'lighthouse';

const { url, port, device, throttling } = JSON.parse(readFileSync(0, 'utf8'));
const flags = {
  port,
  output: 'json',
  logLevel: 'error',
  onlyCategories: ['performance'],
  formFactor: device.mobile ? 'mobile' : 'desktop',
  screenEmulation: {
    mobile: device.mobile,
    width: device.width,
    height: device.height,
    deviceScaleFactor: device.scale,
    disabled: false,
  },
  emulatedUserAgent: device.userAgent,
  throttlingMethod: throttling ? 'simulate' : 'provided',
};
if (throttling) {
  flags.throttling = {
    rttMs: throttling.rttMs,
    throughputKbps: throttling.throughputKbps,
    cpuSlowdownMultiplier: throttling.cpuSlowdown,
  };
}
const { lhr } = await lighthouse(url, flags, defaultConfig);
const metrics = lhr.audits.metrics?.details?.items?.[0] ?? {};
const saving = Object.entries(lhr.audits).filter(([, audit]) => audit.metricSavings);
const savings = saving.map(([id, { metricSavings }]) => [id, metricSavings]);
process.stdout.write(
  JSON.stringify({
    version: lhr.lighthouseVersion,
    metrics,
    savings: Object.fromEntries(savings),
    error: lhr.runtimeError?.message ?? null,
  }),
);
// Its connections would keep the process alive.
process.exitCode = 0;
setTimeout(() => process.exit(), 200).unref();
