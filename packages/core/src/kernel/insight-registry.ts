import type { Problem } from "../errors/configuration-error.ts";
import { AppMetrics } from "../insight/app-metrics.ts";
import { AppOperations } from "../insight/app-operations.ts";
import type { CurrentTrace, ReadTrace } from "../insight/current-trace.ts";
import { type HealthCheck, healthCheckProblem } from "../insight/health-check.ts";
import type { Histogram, HistogramOptions, HistogramRecorder } from "../insight/histogram.ts";
import type { Metric } from "../insight/metric.ts";
import type { Panel } from "../insight/panel.ts";
import type { OperationListener } from "../insight/operation-listener.ts";
import { RequestTraces } from "../insight/request-steps.ts";
import type { Operations } from "../insight/operations.ts";
import { type OutgoingCallObserver, OutgoingCalls } from "../insight/outgoing-calls.ts";
import { type OperationDefinition, operationProblem } from "../insight/traced-operation.ts";
import type { AppLink } from "../lifecycle/runnable.ts";
import type { Logger } from "../log/logger.ts";
import { messageOf } from "../log/value-text.ts";
import type { HttpRequest } from "../request/http-request.ts";
import { requestOperation } from "../pipeline/request-operations.ts";

/** The registry's members that a group of registrations uses. */
export interface RegistrationGate {
  /** @throws CORE_ALREADY_STARTED after start */
  assertOpen(subject: string): void;
  problem(problem: Problem): void;
  log(): Pick<Logger, "error">;
}

/** The registrations of `host.insight`: metrics, operations, health checks, snapshots, panels and pages. */
export class InsightRegistry {
  /** Publishes requests as operations. */
  readonly requests: Operations<HttpRequest>;
  /** Publishes the steps of requests. */
  readonly traces: RequestTraces = new RequestTraces();
  private readonly operations: AppOperations;
  private readonly outgoingCalls: OutgoingCalls;
  private readonly appMetrics: AppMetrics;
  private readonly checks: HealthCheck[] = [];
  private readonly snapshots: Map<string, () => unknown> = new Map();
  private readonly panelsByName: Map<string, Panel> = new Map();
  private readonly pages: { readonly name: string; readonly path: () => string | null }[] = [];
  private readTrace: ReadTrace = () => null;
  private readonly gate: RegistrationGate;

  constructor(app: object, gate: RegistrationGate) {
    this.gate = gate;
    this.appMetrics = new AppMetrics((message) => gate.problem({ code: "CORE_BAD_METRIC", message }));
    const onError = (error: unknown): void => gate.log().error("a listener of operations failed", { error });
    this.operations = new AppOperations(app, onError);
    this.requests = this.operations.of(requestOperation);
    this.outgoingCalls = new OutgoingCalls(app, (definition) => this.operations.of(definition), onError);
  }

  link(name: string, path: string | (() => string | null)): void {
    this.gate.assertOpen(`the page ${name}`);
    this.pages.push({ name, path: typeof path === "string" ? () => path : path });
  }

  /** The pages that are served now. */
  get links(): readonly AppLink[] {
    return this.pages.flatMap(({ name, path: read }) => {
      const path = read();
      return path === null ? [] : [{ name, path }];
    });
  }

  panel(panel: Panel): void {
    this.panelsByName.set(panel.name, panel);
  }

  panels(): readonly Panel[] {
    return [...this.panelsByName.values()];
  }

  expose(name: string, snapshot: () => unknown): void {
    this.snapshots.set(name, snapshot);
  }

  metric(metric: Metric): void {
    this.gate.assertOpen(`the metric ${metric.name}`);
    this.appMetrics.add(metric);
  }

  histogram<const Label extends string = never>(options: HistogramOptions<Label>): Histogram<Label> {
    this.gate.assertOpen(`the histogram ${options.name}`);
    return this.appMetrics.histogram(options);
  }

  recordHistograms(recorder: HistogramRecorder): void {
    this.gate.assertOpen("a recorder of histograms");
    this.appMetrics.addRecorder(recorder);
  }

  metrics(): readonly Metric[] {
    return this.appMetrics.all;
  }

  operation<In, Out>(definition: OperationDefinition<In, Out>): Operations<In, Out> {
    this.gate.assertOpen(`the operation ${definition.kind}`);
    this.problemIf("CORE_BAD_OPERATION_KIND", operationProblem(definition));
    return this.operations.of(definition);
  }

  onOperation<State>(listener: OperationListener<State>): () => void {
    return this.operations.listen(listener);
  }

  publishOutgoingCalls(observer: OutgoingCallObserver): () => void {
    return this.outgoingCalls.observe(observer);
  }

  provideTrace(read: ReadTrace): void {
    this.gate.assertOpen("a reader of traces");
    this.readTrace = read;
  }

  currentTrace(): CurrentTrace | null {
    return this.readTrace();
  }

  healthCheck(check: HealthCheck): void {
    this.gate.assertOpen(`the health check ${check.name}`);
    this.problemIf("CORE_BAD_HEALTH_CHECK", healthCheckProblem(check, this.checks));
    this.checks.push(check);
  }

  healthChecks(): readonly HealthCheck[] {
    return this.checks;
  }

  /** Returns the current snapshot of every feature, by name; a snapshot that throws is replaced by `{ error: message }`. */
  snapshot(): Readonly<Record<string, unknown>> {
    return Object.fromEntries([...this.snapshots].map(([name, read]) => [name, readSnapshot(read)]));
  }

  private problemIf(code: string, message: string | null): void {
    if (message !== null) this.gate.problem({ code, message });
  }
}

/** Reads a snapshot. An error must not hide the snapshots of other features. */
const readSnapshot = (read: () => unknown): unknown => {
  try {
    return read();
  } catch (error) {
    return { error: messageOf(error) };
  }
};
