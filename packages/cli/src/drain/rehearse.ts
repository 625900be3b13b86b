import { systemClock } from "@framework/core/feature";
import { requireProgram } from "../app/find-program.ts";
import type { Outcome, RunCommand } from "../frame/command.ts";
import type { DeadlineClock } from "../frame/terminal.ts";
import { countReplies } from "../load/count-replies.ts";
import { httpSender } from "../load/http-sender.ts";
import { loadRequest } from "../load/load-request.ts";
import { type Line, styled } from "../frame/text.ts";
import { type Service, type ServiceExit, type ServiceTask, startService } from "../service/start-service.ts";
import { type LoadCounts, steadyLoad } from "./steady-load.ts";

export const rehearse: RunCommand = async (given, { cwd, environment, progress, clock }) => {
  const request = loadRequest(given);
  const program = requireProgram(given.text("program"), cwd, "name it with --program src/main.ts");
  const timeoutSecs = given.number("timeout") ?? 60;
  const workers = given.number("workers") ?? 1;
  await using service = await startService(program, {
    cwd,
    environment,
    env: "production",
    workers,
    timeoutSecs,
  });
  using sender = httpSender(service.url, request);
  const loadClock = { ...systemClock, now: () => performance.now() };
  const replies = countReplies(() => sender.send());
  const load = steadyLoad(replies.send, given.number("rate") ?? 100, loadClock);
  const afterSecs = given.number("after") ?? 2;
  progress.show(0.3, `load for ${afterSecs} s`);
  await new Promise<void>((resolve) => void clock.after(afterSecs * 1000, resolve));
  const before = load.counts.answered + load.counts.errors;
  load.markSignalled();
  const signalledMs = performance.now();
  service.kill("SIGTERM");
  progress.show(0.7, "SIGTERM was sent");
  const exit = await endOf(service, timeoutSecs, clock);
  const tookMs = performance.now() - signalledMs;
  await load.stop(LAST_REPLIES_MS);
  return outcome({
    counts: load.counts,
    before,
    exit,
    tookMs,
    tasks: service.tasks,
    slowMs: given.number("slow") ?? 500,
    doubts: replies.doubts(),
  });
};

/** Milliseconds to wait for replies in transit when the process has ended. */
const LAST_REPLIES_MS = 2000;

const endOf = async (
  service: Service,
  timeoutSecs: number,
  clock: DeadlineClock,
): Promise<ServiceExit | null> => {
  const { promise, resolve } = Promise.withResolvers<null>();
  const cancel = clock.after(timeoutSecs * 1000, () => resolve(null));
  return Promise.race([service.exited, promise]).finally(cancel);
};

interface Rehearsal {
  readonly counts: LoadCounts;
  /** Replies before the signal. */
  readonly before: number;
  /** `null` when the process did not end in time. */
  readonly exit: ServiceExit | null;
  readonly tookMs: number;
  readonly tasks: readonly ServiceTask[];
  readonly slowMs: number;
  /** Warnings that the request may be wrong. */
  readonly doubts: readonly string[];
}

const outcome = ({ counts, before, exit, tookMs, tasks, slowMs, doubts }: Rehearsal): Outcome => {
  const closers = tasks
    .filter(({ phase }) => phase === "shutdown")
    .sort((a, b) => b.durationMs - a.durationMs);
  const slow = closers.filter(({ durationMs, failed }) => failed || durationMs >= slowMs);
  const isClean = exit?.code === 0;
  const { answered, errors, refused, dropped, codes } = counts;
  const during = answered + errors - before;
  const broken = Object.entries(codes).map(([code, count]) => `${count} ${code}`);
  return {
    ok: isClean && dropped === 0,
    data: {
      requests: { ...counts, beforeSignal: before, duringDrain: during },
      exit,
      tookMs,
      closers,
      doubts,
    },
    lines: [
      `${before} replies before SIGTERM, ${during} during the drain (${errors} of all with a status of 500 or more)`,
      `${refused} connections refused after the port had closed`,
      dropped === 0
        ? styled("green", "no request dropped")
        : styled("red", `${dropped} requests dropped: ${broken.join(", ")}`),
      ...slow.map(({ name, durationMs, failed }): Line => [
        styled("yellow", failed ? "failed stop task " : "slow stop task "),
        `${name}: ${durationMs.toFixed(0)} ms`,
      ]),
      exitLine(exit, tookMs),
      ...doubts.map((doubt) => styled("yellow", doubt)),
    ],
  };
};

const exitLine = (exit: ServiceExit | null, tookMs: number): Line => {
  const after = `${(tookMs / 1000).toFixed(2)} s after SIGTERM`;
  if (exit === null) return styled("red", `the process had not ended ${after}, and was killed`);
  const how = exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`;
  return styled(exit.code === 0 ? "green" : "red", `the process ended ${after} with ${how}`);
};
