import { FrameworkError } from "../../errors/framework-error.ts";
import { urlOf } from "../start/address.ts";
import { type Dispatcher, createDispatcher } from "./dispatcher.ts";
import { EXIT_FAILURE, EXIT_OK } from "../stop/exit-codes.ts";
import { onHangup } from "../start/certificates.ts";
import type { Plan } from "../start/plan.ts";
import { watchSources } from "./reload.ts";
import { restartPolicy } from "./restart-policy.ts";
import type { Running } from "../settings/run-options.ts";
import { acceptQueued, pause, readinessDelayMs, reserveMs } from "../stop/shutdown.ts";
import { exitCodeFor, reportUncaught } from "../stop/end-reason.ts";
import { listenersIn } from "../../lifecycle/listener.ts";
import type { Runnable } from "../../lifecycle/runnable.ts";
import { acceptOnPort, bindPort, type HeldPorts, holdPorts } from "./held-ports.ts";
import { afterOrphans } from "./orphans.ts";
import { canShareListener } from "./shared-listener.ts";
import { createMeanLoads } from "./mean-loads.ts";
import { Supervisor } from "./supervisor.ts";
import { type ForkWorker, forkProgram } from "./worker-process.ts";
import { stateForWorkers } from "./worker-state.ts";

/**
 * Runs the service as the primary process: owns the ports, supervises the workers, keeps their shared state, and serves no requests.
 *
 * The ports are bound before the first worker is forked and kept until the end, so neither a worker's exit nor a reload closes them.
 */
export const runPrimary = async (
  { listeners: registered }: Pick<Runnable, "listeners">,
  plan: Plan,
  service: number,
): Promise<Running> => {
  const [, file] = process.argv;
  if (file === undefined) {
    throw new FrameworkError(
      "CORE_NO_PROGRAM",
      "workers and reload need a program in a file; otherwise set workers to 1 and reload to false",
    );
  }
  const { host, workers, env, cluster } = plan.settings;
  const dispatcher = createDispatcher();
  const accepts = cluster.accept === "workers" && canShareListener();
  const hold = accepts ? bindPort : acceptOnPort(dispatcher);
  const holdAfterOrphans = afterOrphans(hold, {
    log: plan.log,
    limitMs: cluster.shutdownTimeoutSecs * 1000, // as long as workers of the previous service may drain
    isEnding: () => plan.process?.endReason !== undefined,
  });
  const ports = await holdPorts(plan.settings, listenersIn(env, registered), holdAfterOrphans);
  const { port, listeners } = ports;
  const url = urlOf(host, port, plan.settings.tls !== undefined);
  const brief = { primary: process.pid, service, url, host, port, listeners, workers, accepts };
  const primary = new Primary(plan, ports, dispatcher, forkProgram(file, brief, ports.descriptors));
  await primary.start();
  return { url, host, port, listeners, close: () => primary.close() };
};

/** The service in the primary process: start, reload, and one stop. */
class Primary {
  private readonly plan: Plan;
  private readonly ports: HeldPorts;
  private readonly dispatcher: Dispatcher;
  private readonly supervisor: Supervisor;
  private readonly url: string;
  private readonly cleanups: (() => void)[] = [];
  private isUp = false;
  private needsReadinessDelay = false;
  private closing: Promise<number> | undefined;
  /** The highest code for which the process was asked to end. */
  private exitCode = EXIT_OK;

  constructor(plan: Plan, ports: HeldPorts, dispatcher: Dispatcher, fork: ForkWorker) {
    const { settings, log } = plan;
    const state = stateForWorkers(log, (worker) => this.supervisor.replaceOne(worker));
    this.plan = plan;
    this.ports = ports;
    this.dispatcher = dispatcher;
    this.url = urlOf(settings.host, ports.port, settings.tls !== undefined);
    this.cleanups.push(() => state.close());
    this.supervisor = new Supervisor({
      workers: settings.workers,
      fork: (events) => state.connect(fork(events)),
      dispatcher,
      meanLoads: createMeanLoads(),
      policy: restartPolicy(settings.cluster.maxRestarts),
      log,
      retries: !settings.reload,
      drainMs: settings.cluster.shutdownTimeoutSecs * 1000,
      onGiveUp: () => this.end(EXIT_FAILURE),
      onClose: () => void this.close(),
    });
  }

  async start(): Promise<void> {
    const { process: owned, log, settings } = this.plan;
    owned?.onEnd(
      () => void this.close(),
      () => this.supervisor.kill(),
    );
    if (owned !== null) this.cleanups.push(onHangup(settings.tls, () => this.supervisor.renewTls()));
    try {
      const report = await this.supervisor.start();
      this.isUp = true;
      this.needsReadinessDelay = report.needsReadinessDelay;
      owned?.onEnd(
        (reason) => {
          reportUncaught(reason, log);
          this.end(exitCodeFor(reason));
        },
        () => this.supervisor.kill(),
      );
      if (settings.reload) this.watch();
      this.plan.announce({ url: this.url, listeners: this.ports.listeners }, report);
    } catch (error) {
      await this.close(); // other workers may be ready
      throw error;
    }
  }

  async close(): Promise<void> {
    this.closing ??= this.stop().finally(() => this.release());
    await this.closing;
  }

  private watch(): void {
    const { log } = this.plan;
    const stop = watchSources(process.cwd(), log, (file) => {
      log.info("restarting", { changed: file });
      this.supervisor.replaceAll();
    });
    this.cleanups.push(stop);
  }

  /** Ends the service, and also the process if the service owns it. */
  private end(code: number): void {
    this.exitCode = Math.max(this.exitCode, code);
    void this.close().then(async () => {
      const stopped = (await this.closing) ?? EXIT_OK;
      this.plan.process?.exit(Math.max(this.exitCode, stopped));
    });
  }

  private async stop(): Promise<number> {
    const { settings, log } = this.plan;
    const { shutdownTimeoutSecs, readinessDelaySecs } = settings.cluster;
    const timeoutMs = shutdownTimeoutSecs * 1000;
    const deadline = performance.now() + timeoutMs;
    const delay = this.isUp
      ? readinessDelayMs(readinessDelaySecs, settings.env, this.needsReadinessDelay)
      : 0;
    this.supervisor.unready(timeoutMs);
    if (delay > 0) await pause(Math.min(delay, timeoutMs - reserveMs(timeoutMs)));
    await acceptQueued(this.ports, Math.max(0, deadline - performance.now()) / 2);
    this.ports.close();
    const { killed, cut, late, died, errors } = await this.supervisor.stop(
      Math.max(0, deadline - performance.now()),
    );
    const refused = this.dispatcher.closeQueued();
    if (killed + died + errors + cut + late + refused === 0) return EXIT_OK;
    log.error("the drain was not clean", {
      workersKilled: killed,
      workersDied: died,
      uncaughtErrors: errors,
      workersLate: late,
      connectionsCut: cut,
      neverServed: refused,
    });
    return EXIT_FAILURE;
  }

  private release(): void {
    this.ports.close();
    this.dispatcher.closeQueued();
    this.plan.process?.release();
    for (const cleanup of this.cleanups.splice(0)) cleanup();
  }
}
