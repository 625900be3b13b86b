import { isOptions } from "../config/wrong-value.ts";
import { isClusterWorker } from "../runtime/cluster-worker.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import type { Logger } from "../log/logger.ts";
import { failsafeLog } from "../log/failsafe-log.ts";
import { redirectable } from "../log/redirectable.ts";
import { nodeBuiltin } from "../runtime/node-builtins.ts";
import { inProcessState } from "../shared-state/in-process-state.ts";
import { urlOf } from "./start/address.ts";
import { type BannerFacts, listeningLine, terminalBanner } from "./start/banner.ts";
import { consoleLogger } from "../log/console-logger.ts";
import { reportFailedStart } from "./start/failed-start.ts";
import { EXIT_FAILURE, EXIT_OK } from "./stop/exit-codes.ts";
import { type Flags, parseFlags } from "./settings/flags.ts";
import { frameworkVersion } from "./start/framework-version.ts";
import { notifyImporter } from "./start/refused-run.ts";
import { helpText } from "./settings/help-text.ts";
import { checkLine } from "./start/check-line.ts";
import { isInContainer } from "./start/in-container.ts";
import type { Plan, ServiceAddress } from "./start/plan.ts";
import type { Running, RunOptions } from "./settings/run-options.ts";
import type { AppReport, Runnable } from "../lifecycle/runnable.ts";
import { protocolWarnings } from "./settings/setting-warnings.ts";
import { resolveSettings, type RunSettings } from "./settings/settings.ts";
import { runSingle } from "./single.ts";
import { OwnedProcess } from "./stop/owned-process.ts";
import { workerBrief } from "./workers/worker-brief.ts";

/** Number of `run` calls in this program so far. A worker serves only the call for which it was forked. */
let calls = 0;

/**
 * Serves an app. Resolves when it listens and all workers are ready.
 *
 * With several workers or reload the same program runs in each worker up to its own `run`, and continues after it.
 *
 * @throws only with `exitOnError: false`: ConfigurationError with all mistakes in settings and app, or the start error. Otherwise the error is printed in one
 * message on stderr, and the process exits with code 1, or with 0 after a signal
 */
export const run = async (app: Runnable, given: RunOptions = {}): Promise<Running> => {
  const options: RunOptions = isOptions(given) ? given : {}; // `makePlan` reports another value with the other mistakes
  if (notifyImporter()) return new Promise(() => {}); // a settled promise would let the imported module continue
  const service = calls++;
  const found = workerBrief();
  const brief = found instanceof Promise ? await found : found;
  const owned = brief === undefined && options.exitOnError !== false ? new OwnedProcess() : null;
  let plan: Plan | undefined;
  let release = (): void => {};
  try {
    plan = makePlan(app, given, brief?.workers, owned);
    if (brief !== undefined) {
      if (brief.service !== service) return otherService(plan.settings);
      app.claim();
      const { runWorker } = await severalProcesses();
      return await runWorker(app, plan, brief);
    }
    release = app.claim();
    if (plan.settings.workers === 1 && !plan.settings.reload) return await runSingle(app, plan);
    const { runPrimary } = await severalProcesses();
    return await runPrimary(app, plan, service);
  } catch (error) {
    if (brief !== undefined) return (await severalProcesses()).failWorker(error);
    release();
    if (owned === null) throw error;
    owned.exit(reportFailedStart(error, owned.endReason, plan?.log));
    return new Promise(() => {}); // the process exits after the other services of the program have drained
  }
};

/** Loaded on demand: a service of one process starts without it. */
const severalProcesses = (): Promise<typeof import("./workers/several-processes.ts")> =>
  import("./workers/several-processes.ts");

const makePlan = (
  app: Runnable,
  given: RunOptions,
  workersOverride: number | undefined,
  owned: OwnedProcess | null,
): Plan => {
  const options: RunOptions = isOptions(given) ? given : {};
  const { flags, problems } = parseFlags(options.argv ?? process.argv.slice(2));
  handleInfoFlags(flags);
  const isForkedByProgram = workersOverride === undefined && isClusterWorker(); // a worker that the program forked itself cannot fork
  const environment = options.environment ?? process.env;
  const cpus = isForkedByProgram ? 1 : nodeBuiltin("node:os").availableParallelism();
  const resolved = resolveSettings(given, {
    flags,
    environment,
    cpus,
    inContainer: isInContainer(environment),
  });
  const allProblems = [...problems, ...resolved.problems];
  if (isForkedByProgram && (resolved.settings.workers > 1 || resolved.settings.reload)) {
    const message = "this process is itself a worker of node:cluster; set workers to 1 and leave reload off";
    allProblems.push({ code: "CORE_NESTED_WORKERS", message });
  }
  const settings = {
    ...resolved.settings,
    workers: workersOverride ?? resolved.settings.workers,
    warnings: [...resolved.settings.warnings, ...protocolWarnings(app.protocol, resolved.settings.tls)],
  };
  const log = failsafeLog(options.log ?? redirectable(defaultLog(settings)));
  owned?.logTo(log);
  if (flags.check === true) {
    const found = [...allProblems, ...app.check({ ...settings, log, shared: inProcessState({ log }) })];
    process.stdout.write(checkLine(app, settings, found));
    process.exit(found.length === 0 ? EXIT_OK : EXIT_FAILURE);
  }
  if (allProblems.length > 0) {
    throw new ConfigurationError([
      ...allProblems,
      ...app.check({ ...settings, log, shared: inProcessState({ log }) }),
    ]);
  }
  return { settings, log, process: owned, announce: owned === null ? () => {} : announcer(settings, log) };
};

/** Handles `--help` and `--version`: prints the text and ends the program. */
const handleInfoFlags = (flags: Flags): void => {
  if (flags.help !== true && flags.version !== true) return;
  process.stdout.write(flags.help === true ? helpText() : `framework ${frameworkVersion()}\n`);
  process.exit(EXIT_OK);
};

const defaultLog = ({ env }: RunSettings): Logger =>
  consoleLogger({
    format: process.stdout.isTTY && env === "development" ? "text" : "json",
    write: (line, level) => (level === "info" ? process.stdout : process.stderr).write(line),
  });

const announcer =
  (settings: RunSettings, log: Logger): Plan["announce"] =>
  ({ url, listeners }, report) => {
    if (process.stdout.isTTY) {
      process.stdout.write(terminalBanner(bannerFacts(settings, { url, listeners }, report)));
      return;
    }
    process.stdout.write(listeningLine({ url, workers: settings.workers, pid: process.pid, listeners }));
    for (const note of settings.notes) log.info(note);
    for (const { code, message } of [...settings.warnings, ...report.warnings]) log.warn(message, { code });
  };

const bannerFacts = (
  settings: RunSettings,
  { url, listeners }: ServiceAddress,
  report: AppReport,
): BannerFacts => ({
  url,
  listeners,
  settings,
  report,
  version: frameworkVersion(),
  nodeVersion: process.version,
  pid: process.pid,
  readyMs: process.uptime() * 1000,
});

/** The result of another `run` call in a worker: other workers serve that service. */
const otherService = ({ host, port, tls }: RunSettings): Running => ({
  url: urlOf(host, port, tls !== undefined),
  host,
  port,
  listeners: [],
  close: async () => {},
});
