// Runs in the service before its program: reports event loop delay, memory, CPU time and tasks on an extra pipe.
import { subscribe } from "node:diagnostics_channel";
import { writeSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

/** File descriptor of the pipe that `startService` opens. */
const PIPE = 3;
const PERIOD_MS = 250;

let isOrphaned = false;

const report = (line: object): void => {
  if (isOrphaned) return;
  try {
    writeSync(PIPE, `${JSON.stringify(line)}\n`);
  } catch (error) {
    // If the command reads slowly, the line is dropped. EPIPE: the command has ended, perhaps by SIGKILL, so nothing else would stop the service.
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") return;
    isOrphaned = true; // a second signal would kill the service immediately
    process.kill(process.pid, "SIGTERM");
  }
};

// In a worker, descriptor 3 is the channel to its primary.
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
