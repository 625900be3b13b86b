import type { AppSettings, Response as Reply } from "@framework/core";
import { Response } from "@framework/core";
import type { Host, SharedValues } from "@framework/core/feature";
import type { DevtoolsConfig } from "../devtools-config.ts";
import type { FaultRule } from "../faults/fault-rule.ts";
import type { FaultInjector } from "../faults/fault-injector.ts";
import { failedOutcome, runCall } from "../panels/run-call.ts";
import { PanelReader } from "../panels/panel-reader.ts";
import { metricsReader } from "../panels/read-metrics.ts";
import type { RequestEntry } from "../requests/request-entry.ts";
import { RequestRecorder } from "../requests/request-recorder.ts";
import { LiveStreams } from "../serve/live-streams.ts";
import { pageFields } from "../serve/page-files.ts";
import { serviceFacts } from "../serve/service-facts.ts";
import { HistogramTally } from "../traffic/histogram-recorder.ts";
import { TrafficMeter } from "../traffic/traffic-meter.ts";
import { PendingCalls } from "./pending-calls.ts";
import type { Call, Message, Outcome } from "../messages.ts";
import { connectWorkers, type WorkerHub } from "./worker-hub.ts";

/** Interval at which a worker with an open page sends `watch`; every worker records for `WATCHED_MS` after it. */
const WATCH_MS = 2000;
const WATCHED_MS = 6000;
const REPORT_MS = 1000;
const FAULTS_KEY = "devtools.faults";
const FAULTS_TTL_MS = 10 * 365 * 86_400_000;

/** Options of a worker's tools. */
export interface DevWorkerOptions {
  readonly app: object;
  readonly host: Pick<Host, "http" | "insight" | "life">;
  readonly config: DevtoolsConfig;
  readonly faults: FaultInjector;
}

/** The tools in one worker. Records and reports while a page is open in any worker, and serves the pages connected to this worker. */
export class DevWorker {
  private readonly options: DevWorkerOptions;
  private readonly name = String(process.pid);
  private readonly streams: LiveStreams = new LiveStreams();
  private readonly panels: PanelReader;
  private readonly metrics: ReturnType<typeof metricsReader>;
  private readonly recorder: RequestRecorder;
  private readonly traffic: TrafficMeter = new TrafficMeter();
  private readonly histograms: HistogramTally = new HistogramTally();
  private readonly calls: PendingCalls = new PendingCalls();
  private readonly recentRequests: RequestEntry[] = [];
  private hub: WorkerHub | null = null;
  private values: SharedValues | null = null;
  private settings: AppSettings | null = null;
  private watchedUntil = 0;
  private reports: NodeJS.Timeout | undefined;
  private watch: NodeJS.Timeout | undefined;

  constructor(options: DevWorkerOptions) {
    const { app, host, config } = options;
    this.options = options;
    this.panels = new PanelReader(host.insight);
    this.metrics = metricsReader(() => host.insight.metrics());
    host.http.use("telemetry", this.traffic.middleware);
    host.insight.recordHistograms(this.histograms.recorder);
    this.recorder = new RequestRecorder({
      app,
      worker: this.name,
      maxPerSecond: config.maxPerSecond,
      onRecorded: (entry) => this.sendRequest(entry),
    });
  }

  /** Connects to the other workers. */
  async start(settings: AppSettings, values: SharedValues): Promise<void> {
    const { config, faults } = this.options;
    const rules = (await values.get(FAULTS_KEY)) ?? config.faults;
    this.settings = settings;
    this.values = values;
    this.hub = connectWorkers(
      values,
      (message) => this.receive(message),
      (error) => settings.log.warn("devtools: a message to the other workers was not sent", { error }),
    );
    faults.set(rules as readonly FaultRule[]); // only `setFaults` stores them
  }

  stop(): void {
    clearInterval(this.watch);
    this.streams.close();
    this.unwatch();
    this.hub?.close();
  }

  /** Ends the streams of pages, so a drain does not wait for them. */
  drain(): void {
    this.streams.close();
  }

  /** Applies faults in every worker. */
  async setFaults(rules: readonly FaultRule[]): Promise<void> {
    await this.values?.set(FAULTS_KEY, JSON.parse(JSON.stringify(rules)), { ttlMs: FAULTS_TTL_MS });
    this.send({ type: "faults", rules });
  }

  /** Opens a live stream; `null` before the start, or when there are too many. */
  stream(): Reply | null {
    const { settings } = this;
    if (settings === null) return null;
    const first = [
      { event: "hello", data: { worker: this.name, ...serviceFacts(this.options.host, settings) } },
      ...this.recentRequests.map((entry) => ({ event: "message", data: { type: "request", entry } })),
    ];
    const events = this.streams.add(first, () => {
      if (this.streams.size === 0) clearInterval(this.watch);
    });
    if (events === null) return null;
    if (this.streams.size === 1) {
      this.watch = setInterval(() => this.send({ type: "watch" }), WATCH_MS);
      this.watch.unref();
    }
    this.send({ type: "watch" });
    return Response.sse(events, { heartbeatSecs: 5, untilDrain: false, headers: pageFields });
  }

  /** Runs a call in this or another worker; `null` for this one. */
  async call(call: Call, worker: string | null): Promise<Outcome> {
    if (worker === null || worker === this.name) {
      const outcome = await runCall(this.panels, call);
      this.report();
      return outcome;
    }
    return this.calls
      .start(this.name, (id) => this.send({ type: "call", id, worker, call }))
      .catch(failedOutcome);
  }

  private receive(message: Message): void {
    switch (message.type) {
      case "watch":
        return this.onWatch();
      case "faults":
        return this.options.faults.set(message.rules);
      case "call":
        if (message.worker === this.name) void this.runForWorker(message.id, message.call);
        return;
      case "answer":
        return this.calls.resolve(message.id, message.outcome);
      case "request":
        this.keep(message.entry);
    }
    this.streams.send({ event: "message", data: message });
  }

  private async runForWorker(id: string, call: Call): Promise<void> {
    const outcome = await runCall(this.panels, call);
    if (!this.send({ type: "answer", id, outcome }))
      this.send({ type: "answer", id, outcome: { ok: false, code: "", message: "The result is too long" } });
    this.report();
  }

  private keep(entry: RequestEntry): void {
    this.recentRequests.push(entry);
    if (this.recentRequests.length > this.options.config.maxRequests) this.recentRequests.shift();
  }

  private onWatch(): void {
    this.watchedUntil = performance.now() + WATCHED_MS;
    if (this.reports === undefined) {
      this.recorder.start();
      this.traffic.start();
      this.histograms.start();
      this.reports = setInterval(() => this.reportOrStop(), REPORT_MS);
      this.reports.unref();
    }
    this.report();
  }

  private reportOrStop(): void {
    if (performance.now() > this.watchedUntil) return this.unwatch();
    this.report();
    this.send({ type: "traffic", worker: this.name, traffic: this.traffic.take() });
  }

  private unwatch(): void {
    clearInterval(this.reports);
    this.reports = undefined;
    this.recorder.stop();
    this.traffic.stop();
    this.histograms.stop();
  }

  /** Sends the worker's panels and metrics; panels of the service are sent only by workers with an open page. */
  private report(): void {
    if (this.reports === undefined) return;
    this.panels.read(this.streams.size > 0 ? ["worker", "service"] : ["worker"], (panel) => {
      const message = { type: "panel", worker: this.name, panel } as const;
      if (!this.send(message)) this.send({ ...message, panel: { ...panel, content: tooLarge } });
    });
    const { name: worker } = this;
    const at = Date.now();
    this.sendList(this.metrics(), (metrics) => ({ type: "metrics", worker, at, metrics }));
    this.sendList(this.histograms.reports(), (histograms) => ({ type: "histograms", worker, histograms }));
  }

  /** Sends as much of a list as fits, halving it until it does. */
  private sendList<T>(list: readonly T[], message: (part: readonly T[]) => Message): void {
    for (let part = list; part.length > 0; part = part.slice(0, part.length >> 1))
      if (this.send(message(part))) return;
  }

  /** Sends a request, with fewer steps if it is too large. */
  private sendRequest(entry: RequestEntry): void {
    const { steps, omittedSteps } = entry;
    for (let count = steps.length; ; count >>= 1) {
      const omitted = omittedSteps + steps.length - count;
      const part = { ...entry, steps: steps.slice(0, count), omittedSteps: omitted };
      if (this.send({ type: "request", entry: part }) || count === 0) return;
    }
  }

  private send(message: Message): boolean {
    return this.hub?.send(message) ?? false;
  }
}

const tooLarge = { columns: [], rows: [], note: "The panel is too large to show" };
