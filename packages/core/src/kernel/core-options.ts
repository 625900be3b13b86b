import type { ExemptOption } from "../routes/exemption.ts";
import type { ProgramRouteOption } from "../routes/program-route.ts";
import type { RouteMethodsOption } from "../routes/route-methods.ts";
import type { RouteOptions } from "../routes/route.ts";

/** The route options of core; the type keeps the list complete. */
export const coreOptions: readonly string[] = Object.keys({
  params: true,
  query: true,
  body: true,
  responses: true,
  errors: true,
  inject: true,
  guards: true,
  tags: true,
  summary: true,
  description: true,
  name: true,
  maxBodyBytes: true,
  timeoutSecs: true,
} satisfies Record<keyof RouteOptions, true>);

/** Option names that features cannot use: the options of core, and four additional options of the `route` methods of apps and hosts. */
export const reservedOptions: readonly string[] = [
  ...coreOptions,
  ...Object.keys({ methods: true, exempt: true, isProgramRoute: true, use: true } satisfies Record<
    keyof RouteMethodsOption | keyof ExemptOption | keyof ProgramRouteOption,
    true
  >),
];
