// Runs inside the service, before its program: reports its event loop, memory, processor time and tasks on an extra pipe.
import { subscribe } from "node:diagnostics_channel";
import { writeSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

/** The pipe that `startService` opens. */
const PIPE = 3;
const PERIOD_MS = 250;

let isAlone = false;

const report = (line: object): void => {
  if (isAlone) return;
  try {
    writeSync(PIPE, `${JSON.stringify(line)}\n`);
  } catch (error) {
    // When the command reads slowly, a sample less does not disturb the service. When it has ended, even by SIGKILL, nothing else ends the service.
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") return;
    isAlone = true; // a second signal would end the service at once
    process.kill(process.pid, "SIGTERM");
  }
};

// In a worker the third pipe is the channel to its primary.
if (process.send === undefined) {
  subscribe("framework.life.task", (time) => report({ task: time }));
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  let cpu = process.cpuUsage();
  let atMs = performance.now();
  const timer = setInterval(() => {
    const spent = process.cpuUsage(cpu);
    const nowMs = performance.now();
    report({
      sample: {
        loopDelayMs: delay.max / 1e6,
        heapBytes: process.memoryUsage().heapUsed,
        cpu: (spent.user + spent.system) / 1000 / (nowMs - atMs),
      },
    });
    delay.reset();
    cpu = process.cpuUsage();
    atMs = nowMs;
  }, PERIOD_MS);
  timer.unref();
}
