import type { CommandEndpoint, QueryEndpoint } from "./endpoint.ts";

/** A command or query, for the check of its endpoint. */
interface EndpointOwner {
  readonly kind: "command" | "query";
  readonly http: CommandEndpoint | QueryEndpoint | null;
}

/** Route options that endpoints set themselves. `routeOptions` must not have them: they would have no effect, and guards in it would admit every caller. */
const ownOptions: Readonly<Record<EndpointOwner["kind"], readonly string[]>> = {
  command: ["guards", "isProgramRoute", "name", "use"],
  query: ["cache", "guards", "isProgramRoute", "name", "query", "responses", "use"],
};

/** Returns the errors in the endpoint of a command or query that types cannot prevent. */
export const endpointProblems = ({ kind, http }: EndpointOwner): readonly string[] => {
  if (http === null) return [];
  if (!isObject(http) || typeof http.path !== "string") return ["http must be an object with a path"];
  const { guards = [], routeOptions = {} } = http;
  const problems: string[] = [];
  if (!Array.isArray(guards)) problems.push("http.guards must be a list of guards");
  if (!isObject(routeOptions)) return [...problems, "http.routeOptions must be an object"];
  const own = Object.keys(routeOptions).filter((name) => ownOptions[kind].includes(name));
  return [
    ...problems,
    ...own.map((name) => `http.routeOptions must not have "${name}", which the endpoint sets itself`),
  ];
};

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
