import { describeValue, isClass, isPlainObject } from "../config/wrong-value.ts";
import type { Problem } from "../errors/configuration-error.ts";
import { isGuard } from "../guards/guard.ts";
import { nearest } from "../errors/nearest.ts";
import { isErrorStatus } from "../http/reason-phrase.ts";
import type { RouteDefinition, RouteOptions } from "../routes/route.ts";
import { isStandardSchema } from "../validation/standard-schema.ts";
import { coreOptions } from "./core-options.ts";
import type { FeatureOptions } from "./feature-options.ts";

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"];

/** Returns all mistakes in registered routes, except in their patterns, each with its place. */
export const routeProblems = (routes: readonly RouteDefinition[], features: FeatureOptions): Problem[] => [
  ...routes.flatMap((route) =>
    [
      ...ownProblems(route),
      ...schemaProblems(route.options),
      ...replyProblems(route.options),
      ...errorProblems(route.options),
      ...documentationProblems(route),
      ...unknownOptions(route.options, features.names),
      ...features.problems(route),
    ].map((message) => problem(route, message)),
  ),
  ...repeatedNames(routes),
];

const problem = ({ method, path, place }: RouteDefinition, message: string): Problem => ({
  code: "CORE_BAD_ROUTE",
  message: `${method} ${path} (at ${place.toString()}): ${message}`,
});

const ownProblems = ({ method, handler, guards, options }: RouteDefinition): string[] => {
  const { maxBodyBytes = 0, timeoutSecs = 0 } = options;
  const checks: readonly (readonly [boolean, string])[] = [
    [methods.includes(method), `methods must be a list of some of ${methods.join(", ")}, in upper case`],
    [
      typeof handler === "function" && !isClass(handler),
      "the handler must be a function; a class cannot be called",
    ],
    [
      [...guards, ...(options.guards ?? [])].every(isGuard),
      "a guard must be a function or an object with check; a class needs new",
    ],
    [
      Number.isSafeInteger(maxBodyBytes) && maxBodyBytes >= 0,
      "maxBodyBytes must be a whole number of at least 0",
    ],
    [
      Number.isFinite(timeoutSecs) && timeoutSecs >= 0 && timeoutSecs <= 86_400,
      "timeoutSecs must be a number from 0 to 86400",
    ],
  ];
  return checks.filter(([holds]) => !holds).map(([, message]) => message);
};

const replyProblems = ({ responses = {} }: RouteOptions): string[] =>
  isPlainObject(responses)
    ? Object.keys(responses)
        .filter((status) => !/^(?:[2-5](?:\d\d|XX)|default)$/.test(status))
        .map(
          (status) =>
            `responses: ${JSON.stringify(status)} is not a status from 200 to 599, "2XX" to "5XX", or "default"`,
        )
    : ["responses must be an object of schemas by status, such as { 200: Book }"];

/** Mistakes in the texts for the API document. */
const documentationProblems = ({ options, tags }: RouteDefinition): string[] => {
  const { name = "", summary = "", description = "" } = options;
  const problems = Object.entries({ name, summary, description })
    .filter(([, text]) => typeof text !== "string")
    .map(([option]) => `${option} must be a string`);
  const areTags = Array.isArray(tags) && tags.every((tag) => typeof tag === "string" && tag !== "");
  if (!areTags || !Array.isArray(options.tags ?? []))
    problems.push('tags must be a list of strings, such as ["books"]');
  return problems;
};

const errorProblems = ({ errors = [], responses = {} }: RouteOptions): string[] => {
  if (!Array.isArray(errors)) return ["errors must be a list of statuses, such as [404, 409]"];
  return errors.flatMap((status: unknown) => {
    if (!isErrorStatus(status))
      return [`errors: ${describeValue(status)} is not a status of an error that the framework knows`];
    return isPlainObject(responses) && Object.hasOwn(responses, status)
      ? [`errors: ${status} has a schema in responses; keep one of them`]
      : [];
  });
};

/** Mistakes in the options that are schemas. */
const schemaProblems = ({ params, query, body, responses }: RouteOptions): string[] => {
  const ofReplies = Object.entries(responses ?? {}).map(
    ([status, schema]) => [`responses: ${status}`, schema] as const,
  );
  return [...Object.entries({ params, query, body }), ...ofReplies]
    .filter(([, schema]) => schema !== undefined && !isStandardSchema(schema))
    .map(([name]) => `${name} must be a schema that follows Standard Schema, such as z.object({ … }) of zod`);
};

/** An option without a reader has no effect, so it is a mistake. */
const unknownOptions = (options: RouteOptions, ofFeatures: readonly string[]): string[] => {
  const known = [...coreOptions, ...ofFeatures];
  return Object.keys(options)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const [near] = nearest(name, known);
      return near === undefined
        ? `no feature of this app has the option "${name}"; add the feature to App.with, or remove the option`
        : `there is no option "${name}"; did you mean "${near}"?`;
    });
};

/** Returns the problems of duplicate names. `route()` registers one name for several methods from one place, which is not a duplicate. */
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
