import type { RouteMethodsOption } from "../routes/route-methods.ts";
import type { RouteOptions } from "../routes/route.ts";

/** The options that every route has; the type keeps the list complete. */
export const coreOptions: readonly string[] = Object.keys({
  params: true,
  query: true,
  body: true,
  responses: true,
  inject: true,
  guards: true,
  tags: true,
  summary: true,
  description: true,
  name: true,
  maxBodyBytes: true,
  timeoutSecs: true,
} satisfies Record<keyof RouteOptions, true>);

/** Names that no feature can give to an option: `route` takes its methods among the options. */
export const reservedOptions: readonly string[] = [
  ...coreOptions,
  ...Object.keys({ methods: true } satisfies Record<keyof RouteMethodsOption, true>),
];
