/** An accepted type-only import that violates the layer order or is part of a cycle. */
export interface KnownImport {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

const CORE = "packages/core/src";

/** Accepted type-only imports; imports of values are never accepted. */
export const knownImports: readonly KnownImport[] = [
  {
    from: `${CORE}/request/http-request.ts`,
    to: `${CORE}/app.ts`,
    reason: "the default type of request.app is App",
  },
  {
    from: `${CORE}/request/http-request.ts`,
    to: `${CORE}/routes/route.ts`,
    reason: "request.endpoint has the options of the matched route, whose guards take requests",
  },
  {
    from: `${CORE}/request/http-request.ts`,
    to: `${CORE}/dependencies/invocation-scope.ts`,
    reason: "a request opens its dependency scope when it first resolves a dependency",
  },
  {
    from: `${CORE}/request/request-kernel.ts`,
    to: `${CORE}/dependencies/container.ts`,
    reason: "the request kernel holds the container",
  },
  {
    from: `${CORE}/dependencies/invocation-scope.ts`,
    to: `${CORE}/dependencies/container.ts`,
    reason: "a scope resolves through the container that created it",
  },
  {
    from: `${CORE}/blueprint.ts`,
    to: `${CORE}/app.ts`,
    reason: "the default app type of a blueprint is App",
  },
  {
    from: `${CORE}/kernel/create-host.ts`,
    to: `${CORE}/kernel/registry.ts`,
    reason: "a host is a view of the registry, which creates the host of middleware objects",
  },
];
