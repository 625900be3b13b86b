/** An import of types against the order of the layers, or in a circle, that is there for a reason. */
export interface KnownImport {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

const core = "packages/core/src";

/** Imports of types that the check lets pass; imports of values never pass. */
export const knownImports: readonly KnownImport[] = [
  {
    from: `${core}/request/http-request.ts`,
    to: `${core}/app.ts`,
    reason: "request.app is an App unless its type says otherwise",
  },
  {
    from: `${core}/request/http-request.ts`,
    to: `${core}/routes/route.ts`,
    reason: "request.endpoint has the options of the matched route, whose guards take requests",
  },
  {
    from: `${core}/request/http-request.ts`,
    to: `${core}/dependencies/request-scope.ts`,
    reason: "a request opens its scope of dependencies when one is first asked for",
  },
  {
    from: `${core}/request/request-kernel.ts`,
    to: `${core}/dependencies/container.ts`,
    reason: "a request opens its scope of dependencies when one is first asked for",
  },
  {
    from: `${core}/request/request-keys.ts`,
    to: `${core}/request/http-request.ts`,
    reason: "request.csrfToken is issued for a request",
  },
  {
    from: `${core}/dependencies/request-scope.ts`,
    to: `${core}/dependencies/container.ts`,
    reason: "a scope resolves through the container that made it",
  },
  {
    from: `${core}/blueprint.ts`,
    to: `${core}/app.ts`,
    reason: "handlers of a blueprint see an App unless its type says otherwise",
  },
  {
    from: `${core}/kernel/create-host.ts`,
    to: `${core}/kernel/registry.ts`,
    reason: "a host is a view of the registry, which makes the one of middleware objects",
  },
  {
    from: `${core}/shared-state/shared-state.ts`,
    to: `${core}/shared-state/permits/permits.ts`,
    reason: "the shared state hands out permits, whose types stand beside their store",
  },
  {
    from: `${core}/shared-state/virtual-clock.ts`,
    to: `${core}/shared-state/in-process/schedule.ts`,
    reason: "the clock of tests schedules as the state in one process does",
  },
  {
    from: `${core}/transport/fast/fast-cached-head.ts`,
    to: `${core}/transport/fast/fast-request-head.ts`,
    reason: "a cached head is compared with the next one while that is read",
  },
];
