import { inheritGlobalResponseOnLookup } from "../../response/web-class.ts";
import { closeSync } from "node:fs";
import type { Socket } from "node:net";
import { inProcessState } from "../../shared-state/in-process-state.ts";
import { batchedLink } from "../../shared-state/workers/batched-link.ts";
import type { PrimaryLink } from "../../shared-state/workers/primary-link.ts";
import { primaryState } from "../../shared-state/workers/primary-state.ts";
import { EXIT_FAILURE, EXIT_OK } from "../stop/exit-codes.ts";
import { FIRST_DESCRIPTOR, isEnvelope, type ToPrimary, type ToWorker, type WorkerBrief } from "./messages.ts";
import type { Plan } from "../start/plan.ts";
import type { Running } from "../settings/run-options.ts";
import { listenersIn, type RegisteredListener } from "../../lifecycle/listener.ts";
import type { Runnable } from "../../lifecycle/runnable.ts";
import { timesOut } from "../../lifecycle/deadline.ts";
import type { Logger } from "../../log/logger.ts";
import { systemClock } from "../../runtime/clock.ts";
import { onHangup } from "../start/certificates.ts";
import { type Service, startService } from "../start/service.ts";
import { listenShared, type SharedListener } from "./shared-listener.ts";
import type { SharedState } from "../../shared-state/shared-state.ts";
import { type Drainable, isClean, reserveMs, shutDown, type ShutdownResult } from "../stop/shutdown.ts";
import { ignoreOutputErrors, onUncaught, type UncaughtKind } from "../stop/signals.ts";
import { toStartFailure } from "../start/start-error.ts";

/** Reports to the primary why this worker cannot serve, and exits. The primary prints the reason once for all workers. */
export const failWorker = (error: unknown): Promise<never> =>
  new Promise(() => {
    sendToPrimary({ "@framework": "failed", failure: toStartFailure(error) }, () =>
      process.exit(EXIT_FAILURE),
    );
  });

/**
 * Runs the service in a worker: accepts from the listeners that all workers share, or serves the sockets that the primary passes to it, and drains on request.
 *
 * SIGINT is left to the primary, because a terminal sends it to all processes. A SIGTERM to one worker requests a replacement from the primary;
 * the worker drains when the replacement is ready. During a stop of the whole service it has no effect. A worker drains and ends when its primary exits.
 */
export const runWorker = async (app: Runnable, plan: Plan, brief: WorkerBrief): Promise<Running> => {
  ignoreOutputErrors();
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => sendToPrimary({ "@framework": "retire" }));
  onHangup(plan.settings.tls, () => {}); // the primary also receives SIGHUP, and notifies all workers
  const { log } = plan;
  const worker = new WorkerService(app, plan, brief);
  const state =
    brief.workers > 1 ? primaryState(batchedLink(linkToPrimary()), { log }) : inProcessState({ log });
  bindListeners(listenersIn(plan.settings.env, app.listeners), brief, log);
  await worker.start(state);
  const { url, host, port, listeners } = brief;
  return {
    url,
    host,
    port,
    listeners,
    close: () => {
      sendToPrimary({ "@framework": "close" });
      return worker.ended;
    },
  };
};

/** The service in one worker, from its start until it has drained. */
class WorkerService {
  /** Resolves when the app has stopped. */
  readonly ended: Promise<void>;
  private readonly app: Runnable;
  private readonly plan: Plan;
  private readonly brief: WorkerBrief;
  private readonly completion: PromiseWithResolvers<void> = Promise.withResolvers<void>();
  private listeners: readonly SharedListener[] = [];
  /** Whether the ports are still descriptors on which this process does not listen yet. */
  private hasDescriptors: boolean;
  /** `null` until the service is ready. */
  private service: Service | null = null;
  /** The reason of a cancelled start; `null` if it was not cancelled. */
  private abandoned: { readonly error?: unknown } | null = null;
  private closing: Promise<ShutdownResult> | undefined;

  constructor(app: Runnable, plan: Plan, brief: WorkerBrief) {
    this.app = app;
    this.plan = plan;
    this.brief = brief;
    this.hasDescriptors = brief.accepts;
    this.ended = this.completion.promise;
    const limit = plan.settings.cluster.shutdownTimeoutSecs * 1000;
    process.on("message", (message: unknown, socket: unknown) => {
      if (isEnvelope(message)) this.handle(message as ToWorker, socket as Socket | undefined);
    });
    if (process.connected) process.once("disconnect", () => this.end(EXIT_OK, limit));
    else this.end(EXIT_OK, limit);
    onUncaught(
      (error, kind) => this.onUncaught(error, kind, limit),
      () => plan.log,
    );
    sendToPrimary({ "@framework": "begun" });
  }

  /** Starts the app and reports that it is ready. @throws the start error; ends the process when the primary cancelled the start */
  async start(state: SharedState): Promise<void> {
    const { app, plan } = this;
    try {
      const service = await startService(app, plan, state);
      await this.listen(service);
      this.service = service;
      service.certificate?.renew(); // the files may have changed, or a SIGHUP may have been received, since the settings were read
    } catch (error) {
      if (this.abandoned === null) throw error;
      if ("error" in this.abandoned) throw this.abandoned.error;
      process.exit(EXIT_OK);
    }
    sendToPrimary({ "@framework": "ready", report: app.report() });
    inheritGlobalResponseOnLookup();
  }

  /** Accepts on the ports, then runs the listening tasks. If one fails, or the primary cancels the start, the service drains. */
  private async listen(service: Service): Promise<void> {
    const { app, plan } = this;
    try {
      if (this.abandoned === null && this.brief.accepts) await this.accept(service); // the descriptors of a cancelled start are closed
      await app.listen(); // throws when the start was cancelled
    } catch (error) {
      const timeoutMs = plan.settings.cluster.shutdownTimeoutSecs * 1000;
      await shutDown(app, this.drainable(service), { readinessDelayMs: 0, timeoutMs }, plan.log); // a port was open: a request may be in flight
      throw error;
    }
  }

  private async accept(service: Service): Promise<void> {
    this.hasDescriptors = false;
    this.listeners = await listenShared(service, this.brief);
    if (this.brief.workers === 1) return;
    for (const listener of this.listeners) {
      listener.balance((load) => sendToPrimary({ "@framework": "load", listener: listener.name, load }));
    }
  }

  private handle(message: ToWorker, socket: Socket | undefined): void {
    switch (message["@framework"]) {
      case "connection":
        sendToPrimary({ "@framework": "taken", id: message.id });
        if (socket !== undefined) this.take(socket, message.listener); // a client may disconnect before its socket arrives
        return;
      case "mean":
        this.listeners.find(({ name }) => name === message.listener)?.updateMeans(message.means);
        return;
      case "unready":
        if (this.service !== null) void this.app.drain(message.timeoutMs - reserveMs(message.timeoutMs));
        return;
      case "renew-tls":
        this.service?.certificate?.renew();
        return;
      case "drain":
        this.end(EXIT_OK, message.timeoutMs);
    }
  }

  /** Passes a socket to the transport of its port; a reloaded program may no longer own that port. */
  private take(socket: Socket, listener: string | undefined): void {
    const port = this.service?.ports.find((each) => each.listener.options.name === listener);
    const transport = listener === undefined ? this.service?.main : port?.transport;
    if (transport === undefined) socket.destroy();
    else transport.accept(socket);
  }

  private onUncaught(error: unknown, kind: UncaughtKind, limit: number): void {
    if (this.service === null) return this.abandon({ error });
    const wasDraining = this.closing !== undefined;
    this.plan.log.error(`${kind}: this worker drains and exits${wasDraining ? "" : ", and is replaced"}`, {
      error,
    });
    sendToPrimary({ "@framework": "broken", wasDraining });
    this.end(EXIT_FAILURE, limit);
  }

  private abandon(why: { readonly error?: unknown }): void {
    this.abandoned ??= why;
    this.app.abandon();
    this.closeDescriptors();
  }

  /** Frees the ports for another service at once: rolling back a start may take as long as a drain. */
  private closeDescriptors(): void {
    if (!this.hasDescriptors) return;
    this.hasDescriptors = false;
    for (let index = 0; index <= this.brief.listeners.length; index++) closeSync(FIRST_DESCRIPTOR + index);
  }

  /** The ports of this worker, and the connections that it has accepted. */
  private drainable(service: Service): Drainable {
    const { listeners } = this;
    let closed: Promise<unknown> = Promise.resolve();
    return {
      accepted: 0, // a shared listener empties its queue itself, when it closes
      drain() {
        closed = Promise.all(listeners.map((listener) => listener.close()));
        for (const { name } of listeners) sendToPrimary({ "@framework": "load", listener: name, load: null });
        service.drain();
      },
      close: async (deadlineMs) => {
        const began = systemClock.now();
        await timesOut(closed, deadlineMs / 2); // otherwise a worker without connections would close before it has accepted the queued connections
        return service.close(Math.max(0, deadlineMs - (systemClock.now() - began)));
      },
    };
  }

  private end(code: number, timeoutMs: number): void {
    const { app, service, plan } = this;
    if (service === null) return this.abandon({});
    if (this.closing !== undefined) return;
    this.closing = shutDown(app, this.drainable(service), { readinessDelayMs: 0, timeoutMs }, plan.log);
    void this.closing.then((result) => {
      this.completion.resolve();
      sendToPrimary({ "@framework": "drained", ...result }, () =>
        process.exit(isClean(result) ? code : EXIT_FAILURE),
      );
    });
  }
}

/** Publishes the primary's addresses to the features. */
const bindListeners = (listeners: readonly RegisteredListener[], brief: WorkerBrief, log: Logger): void => {
  for (const listener of listeners) {
    const { name } = listener.options;
    const address = brief.listeners.find((each) => each.name === name);
    if (address !== undefined) listener.setAddress({ host: address.host, port: address.port });
    else log.warn("a port that is new in the program opens when the service restarts", { listener: name });
  }
};

/** Sends a message to the primary; `then` is called even if the primary has exited. */
const sendToPrimary = (message: ToPrimary, then: () => void = () => {}): void => {
  if (process.connected) process.send?.(message, undefined, undefined, then);
  else then();
};

const linkToPrimary = (): PrimaryLink => ({
  send: (message) => {
    process.send?.(message, undefined, undefined, () => {}); // a call that cannot be sent fails at its timeout
  },
  onMessage: (listener) => {
    process.on("message", listener);
    return () => process.off("message", listener);
  },
  onClose: (listener) => {
    if (process.connected) process.once("disconnect", listener);
    else listener();
  },
});
