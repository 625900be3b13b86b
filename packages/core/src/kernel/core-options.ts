import type { ExemptOption } from "../routes/exemption.ts";
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

/** Names that no feature can give to an option: two of them stand beside the options in `route` of apps and of hosts. */
export const reservedOptions: readonly string[] = [
  ...coreOptions,
  ...Object.keys({ methods: true, exempt: true } satisfies Record<
    keyof RouteMethodsOption | keyof ExemptOption,
    true
  >),
];
