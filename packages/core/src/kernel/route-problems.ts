import type { Problem } from "../errors/configuration-error.ts";
import { isGuard } from "../guards/guard.ts";
import { nearest } from "../errors/nearest.ts";
import type { FeatureOptions } from "../routes/feature-options.ts";
import type { OptionCheck, OptionChecks } from "../routes/option-check.ts";
import type { RouteDefinition, RouteOptions } from "../routes/route.ts";

/** Who reads each option that is a feature's; the type keeps the list complete. */
const optionReaders: Readonly<Record<keyof FeatureOptions, string>> = {
  cache: "enableCaching",
  rateLimit: "enableRateLimit",
  breaker: "enableCircuitBreaker",
  compress: "enableCompression",
  hidden: "enableOpenapi",
};

/** Every option of a route; the type keeps the list complete. */
const optionNames: readonly string[] = Object.keys({
  ...optionReaders,
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
} satisfies Record<keyof RouteOptions, unknown>);

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"];

/** Every mistake in what a program registered as routes, beyond the patterns themselves, each with the place. */
export const routeProblems = (routes: readonly RouteDefinition[], checks: OptionChecks): Problem[] => [
  ...routes.flatMap((route) =>
    [...ownProblems(route), ...featureProblems(route, checks)].map((message) => problem(route, message)),
  ),
  ...repeatedNames(routes),
];

const problem = ({ method, path, place }: RouteDefinition, message: string): Problem => ({
  code: "CORE_BAD_ROUTE",
  message: `${method} ${path} (at ${place.toString()}): ${message}`,
});

const ownProblems = ({ method, handler, guards, options }: RouteDefinition): string[] => {
  const { maxBodyBytes = 0, timeoutSecs = 0, params, query, body, responses = {} } = options;
  const schemas = [params, query, body, ...Object.values(responses)].filter((schema) => schema !== undefined);
  const checks: readonly (readonly [boolean, string])[] = [
    [methods.includes(method), `methods must name some of ${methods.join(", ")}, in upper case`],
    [typeof handler === "function", "the handler must be a function"],
    [
      [...guards, ...(options.guards ?? [])].every(isGuard),
      "a guard must be a function or an object with check",
    ],
    [
      Number.isSafeInteger(maxBodyBytes) && maxBodyBytes >= 0,
      "maxBodyBytes must be a whole number of at least 0",
    ],
    [Number.isFinite(timeoutSecs) && timeoutSecs >= 0, "timeoutSecs must be a number of at least 0"],
    [schemas.every(isSchema), "a schema must follow Standard Schema"],
  ];
  return [...checks.filter(([holds]) => !holds).map(([, message]) => message), ...unknownOptions(options)];
};

/** An option that no feature reads would be a promise that nobody keeps. */
const featureProblems = (route: RouteDefinition, checks: OptionChecks): string[] =>
  Object.entries(optionReaders).flatMap(([name, reader]) => {
    const value = route.options[name as keyof FeatureOptions];
    if (value === undefined) return [];
    const check = checks[name as keyof FeatureOptions] as OptionCheck<never> | undefined;
    if (check === undefined)
      return [`the option "${name}" does nothing without ${reader}; call it, or remove the option`];
    const message = check(value as never, route);
    return message === null ? [] : [`${name}: ${message}`];
  });

const isSchema = (schema: unknown): boolean =>
  (typeof schema === "object" || typeof schema === "function") && schema !== null && "~standard" in schema;

const unknownOptions = (options: RouteOptions): string[] =>
  Object.keys(options)
    .filter((name) => !optionNames.includes(name))
    .map((name) => {
      const [near] = nearest(name, optionNames);
      return `there is no option "${name}"${near === undefined ? "" : `; did you mean "${near}"?`}`;
    });

/** `route()` registers one name for several methods from one place; that is no repetition. */
const repeatedNames = (routes: readonly RouteDefinition[]): Problem[] => {
  const first = new Map<string, RouteDefinition>();
  return routes.flatMap((route) => {
    const { name } = route.options;
    if (name === undefined) return [];
    const earlier = first.get(name);
    if (earlier === undefined) first.set(name, route);
    if (earlier === undefined || earlier.place === route.place) return [];
    return [problem(route, `the name "${name}" is taken by ${earlier.method} ${earlier.path}`)];
  });
};
