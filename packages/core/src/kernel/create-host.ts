import type { Host, HostEntries, HostHttp, HostInsight, HostLife, HostState } from "../feature/host.ts";
import { currentOperation } from "../insight/app-operations.ts";
import { middlewareRank } from "../lifecycle/ranks.ts";
import { runInScope } from "../dependencies/run-in-scope.ts";
import type { InsightRegistry } from "./insight-registry.ts";
import type { Registry } from "./registry.ts";

/** The feature that owns a host. */
export interface HostOwner {
  readonly name: string;
  /** Rank of its tasks in start order. */
  readonly rank: number;
}

/** Creates the host of one feature: frozen plain objects with only the members of the interface, so a feature cannot reach the rest of the kernel. */
export const createHost = (registry: Registry, owner: HostOwner): Host =>
  Object.freeze({
    http: httpOf(registry, owner),
    life: lifeOf(registry, owner),
    insight: insightOf(registry.insight, owner),
    state: stateOf(registry),
    entries: entriesOf(registry),
    configure: (record, input) => registry.configure(record, input),
    problem: (problem) => void registry.problem(problem, owner.name),
    check: (findProblems) => void registry.check(findProblems, owner.name),
    warn: (problem) => void registry.warn(problem, owner.name),
    advise: (find) => registry.advise(find, owner.name),
  } satisfies Host);

const httpOf = (registry: Registry, owner: HostOwner): HostHttp<never> => {
  const http: HostHttp<never> = {
    use: (stage, middleware) => (registry.use(stage, middleware, owner.name), http),
    route: (method, path, handler, options) => (
      registry.route({ method, path, handler, options, addedBy: owner.name }),
      http
    ),
    routes: () => registry.routes(),
    impliesReplies: (replies) => (registry.impliesReplies(replies, owner.name), http),
    impliedReplies: (route) => registry.impliedReplies(route),
    usesFields: (uses) => (registry.usesFields(uses, owner.name), http),
    identifies: (describe) => (registry.identifies(describe), http),
    usedFields: (route) => registry.usedFields(route),
    routeOption: (name, check) => registry.routeOption(name, check, owner),
    replyTo: (error, request) => registry.replyTo(error, request),
  };
  return Object.freeze(http);
};

const lifeOf = (registry: Registry, owner: HostOwner): HostLife => {
  const life: HostLife = {
    onStart: (task) => (registry.addTask("onStart", task, owner), life),
    onListening: (task) => (registry.addTask("onListening", task, owner), life),
    onDrain: (listener, options) => (registry.onDrain(listener, owner, options), life),
    onStop: (task) => (registry.addTask("onStop", task, owner), life),
    listener: (options) => registry.listener(options, owner.name),
    protocol: (protocol) => (registry.serveProtocol(protocol), life),
    get draining() {
      return registry.draining.signal;
    },
    install: (part) => (registry.install(part), life),
    enabledFeatures: () => registry.enabledFeatures(),
    get settings() {
      return registry.settings;
    },
  };
  return Object.freeze(life);
};

const insightOf = (registry: InsightRegistry, { name, rank }: HostOwner): HostInsight => {
  const insight: HostInsight = {
    link: (name, path) => (registry.link(name, path), insight),
    expose: (name, snapshot) => (registry.expose(name, snapshot), insight),
    snapshots: () => registry.snapshot(),
    panel: (panel) => (registry.panel(panel), insight),
    panels: () => registry.panels(),
    metric: (metric) => (registry.metric(metric), insight),
    metrics: () => registry.metrics(),
    histogram: (options) => registry.histogram(options),
    recordHistograms: (recorder) => (registry.recordHistograms(recorder), insight),
    operation: (definition) => registry.operation(definition),
    onOperation: (listener) => registry.onOperation(listener),
    publishOutgoingCalls: (observer = {}) => registry.publishOutgoingCalls(observer),
    stepsOf: ({ method, path }) => registry.traces.chainOf(`${method} ${path}`),
    currentOperation,
    reasons: registry.traces.reasonsOf(rank === middlewareRank ? null : name),
    traceRequests: () => (registry.traces.enable(), insight),
    provideTrace: (read) => (registry.provideTrace(read), insight),
    currentTrace: () => registry.currentTrace(),
    healthCheck: (check) => (registry.healthCheck(check), insight),
    healthChecks: () => registry.healthChecks(),
  };
  return Object.freeze(insight);
};

const stateOf = (registry: Registry): HostState => {
  const state: HostState = {
    provide: (token, provider) => (registry.provide(token, provider), state),
    inject: (place, inject) => (registry.inject(place, inject), state),
    invoke: (invocation, inject, work) => runInScope(registry.container, invocation, inject, work),
    scope: (invocation) => registry.container.open(invocation),
    provideShared: (factories, close) => (registry.provideShared(factories, close), state),
    get shared() {
      return registry.shared;
    },
  };
  return Object.freeze(state);
};

const entriesOf = (registry: Registry): HostEntries => {
  const entries: HostEntries = {
    protect: (stage, protect) => (registry.protectEntries(stage, protect), entries),
    protection: (entry) => registry.entryProtection(entry),
  };
  return Object.freeze(entries);
};
