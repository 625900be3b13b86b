import { nearest } from "@framework/core/feature";

/** Kind of a fault. */
export type Fault = "latency" | "error" | "slow-body" | "dead" | "duplicate";

/** The kinds of faults for routes and for dependencies. */
export const faultsOf: Readonly<Record<FaultRule["on"], readonly Fault[]>> = {
  route: ["latency", "error", "slow-body"],
  dependency: ["latency", "error", "dead", "duplicate"],
};

/** One injected fault. */
export interface FaultRule {
  /** `route` for requests of the service, `dependency` for its calls and for work that it receives: statements, gRPC calls, messages, jobs. */
  readonly on: "route" | "dependency";
  /**
   * For a route, its method and pattern, such as `GET /books/{id}`; for a dependency the kind of its operations, such as `db`, or kind and name, such as
   * `message orders`. A `*` at the end matches any suffix. @default "*"
   */
  readonly name?: string | undefined;
  /**
   * `latency` waits before the work, `error` fails without doing it, `slow-body` pauses before each tenth of the reply's body, or each chunk of a stream,
   * `dead` waits and fails, as an exhausted pool does, `duplicate` does the work twice, as a second delivery of a message does.
   */
  readonly fault: Fault;
  /** Probability that a matching call is changed, 0 to 1. @default 1 */
  readonly probability?: number | undefined;
  /** Milliseconds of `latency`, of `dead`, and of each pause of `slow-body`: 0 to 60,000. @default 1000 */
  readonly ms?: number | undefined;
  /** Status of `error` and `dead`, 400 to 599. @default 503 */
  readonly status?: number | undefined;
}

/** Whether a value is a rule. */
export const isFaultRule = (value: unknown): value is FaultRule => faultProblems(value).length === 0;

/** Returns the problems of a rule: each invalid field with its allowed values. */
export const faultProblems = (value: unknown): string[] => {
  if (typeof value !== "object" || value === null) return [" must be an object with on and fault"];
  const { on, name = "*", fault, probability = 1, ms = 1000, status = 503, ...rest } = value as FaultRule; // each field is checked below
  const known = ["on", "name", "fault", "probability", "ms", "status"];
  const problem = (isRight: boolean, message: string): string[] => (isRight ? [] : [message]);
  const isPlace = typeof on === "string" && Object.hasOwn(faultsOf, on);
  const faults = isPlace ? faultsOf[on] : [];
  return [
    ...Object.keys(rest)
      .slice(0, 5)
      .map((key) => `.${shorten(key)} is unknown${suggestion(nearest(key, known))}`),
    ...problem(isPlace, '.on must be "route" or "dependency"'),
    ...problem(
      !isPlace || faults.includes(fault),
      `.fault must be one of ${faults.join(", ")}${suggestion(nearest(String(fault).slice(0, 50), faults))}`,
    ),
    ...problem(
      typeof name === "string" && name.length <= 300,
      ".name must be a string of at most 300 characters",
    ),
    ...problem(isWithin(probability, 0, 1), ".probability must be a number from 0 to 1"),
    ...problem(isWithin(ms, 0, 60_000), ".ms must be a number from 0 to 60000"),
    ...problem(
      isWithin(status, 400, 599) && Number.isInteger(status),
      ".status must be an integer from 400 to 599",
    ),
  ];
};

const suggestion = ([near]: readonly string[]): string =>
  near === undefined ? "" : `; did you mean ${near}?`;

const shorten = (key: string): string => (key.length <= 50 ? key : `${key.slice(0, 50)}…`);

/** Whether a rule matches a name. */
export const matches = ({ name = "*" }: FaultRule, subject: string): boolean =>
  name.endsWith("*") ? subject.startsWith(name.slice(0, -1)) : subject === name;

const isWithin = (value: unknown, min: number, max: number): boolean =>
  typeof value === "number" && value >= min && value <= max;
