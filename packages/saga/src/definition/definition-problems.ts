import { isStandardSchema } from "@framework/core/feature";
import { MAX_STEPS, MAX_WAIT_MS } from "../limits.ts";
import type { AnySaga } from "./definition.ts";
import { type Branch, branchesOf, type Step } from "./step.ts";

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
/** The type is checked because the expression would match "undefined". */
const isName = (name: unknown): boolean => typeof name === "string" && NAME.test(name);
const MAX_TIMEOUT_MS = 86_400_000;

/** Returns the mistakes of a definition. */
export const definitionProblems = ({
  name,
  version,
  input,
  steps,
}: Pick<AnySaga, "name" | "version" | "input" | "steps">): readonly string[] => [
  ...(isName(name)
    ? []
    : ["its name must have 1 to 64 letters, digits and . _ -, and start with a letter or digit"]),
  ...(Number.isInteger(version) && version >= 1 && version <= 1_000_000
    ? []
    : ["its version must be a whole number from 1 to 1,000,000"]),
  ...(isSchema(input) ? [] : [`its input ${SCHEMA_RULE}`]),
  ...listProblems(steps),
  ...undoProblems(steps),
  ...steps.flatMap(stepProblems),
];

const listProblems = (steps: readonly Step[]): readonly string[] => {
  const works = steps.reduce((sum, step) => sum + Math.max(1, branchesOf(step).length), 0);
  const names = steps.map(({ name }) => name);
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  return [
    ...(steps.length === 0 ? ["it has no steps"] : []),
    ...(works > MAX_STEPS ? [`it has ${works} steps and branches, more than ${MAX_STEPS}`] : []),
    ...(steps.filter(({ kind }) => kind === "pivot").length > 1 ? ["it has two pivots; keep one"] : []),
    ...Array.from(new Set(twice), (name) => `there are two steps "${name}"; rename one`),
  ];
};

/** Steps after the pivot are never undone, neither after a failure nor by an operator. */
const undoProblems = (steps: readonly Step[]): readonly string[] => {
  const pivot = steps.findIndex(({ kind, conditions }) => kind === "pivot" && conditions.length === 0);
  const after = pivot === -1 ? [] : steps.slice(pivot + 1);
  return after
    .filter((step) => branchesOf(step).some(({ undo }) => undo !== null))
    .map(
      ({ name }) => `"${name}" has undo, which is never called after the pivot; remove it, or move the pivot`,
    );
};

const stepProblems = (step: Step): readonly string[] => {
  const { name } = step;
  const problems = isName(name)
    ? []
    : [`the name "${name}" must have 1 to 64 letters, digits and . _ -, and start with a letter or digit`];
  if (step.kind === "wait" && !isWait(step.timeoutMs)) problems.push(`"${name}": timeout ${WAIT_RULE}`);
  if (step.kind === "wait" && !isSchema(step.schema)) problems.push(`"${name}": schema ${SCHEMA_RULE}`);
  if (step.kind === "sleep" && !isWait(step.ms)) problems.push(`"${name}": its duration ${WAIT_RULE}`);
  if (step.kind === "call" && step.branches.length === 0) problems.push(`"${name}": it has no branches`);
  return [...problems, ...branchesOf(step).flatMap((branch) => branchProblems(name, branch))];
};

const SCHEMA_RULE = "must be a Standard Schema, such as one of zod";
const isSchema = (value: unknown): boolean => value === undefined || isStandardSchema(value);

const WAIT_RULE = 'must be milliseconds, or a string such as "30s", "15m", "24h" or "7d"; at most ten years';
const isWait = (ms: number): boolean => ms >= 0 && ms <= MAX_WAIT_MS;

const branchProblems = (step: string, branch: Branch): readonly string[] => {
  const problems: string[] = [];
  const label = branch.name === "" ? `"${step}"` : `"${step}" branch "${branch.name}"`;
  if (branch.name !== "" && !NAME.test(branch.name))
    problems.push(`${label}: the name of a branch must have 1 to 64 letters, digits and . _ -`);
  if (typeof branch.run !== "function") problems.push(`${label}: its work must be a function`);
  for (const name of ["undo", "check"] as const)
    if (branch[name] !== null && typeof branch[name] !== "function")
      problems.push(`${label}: ${name} must be a function`);
  if (!["retry", "check", "manual"].includes(branch.onUnknown))
    problems.push(`${label}: onUnknown must be "retry", "check" or "manual"`);
  if (branch.onUnknown === "check" && branch.check === null)
    problems.push(`${label}: onUnknown "check" needs the function check`);
  const { timeoutMs } = branch;
  if (timeoutMs !== null && !(Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS))
    problems.push(`${label}: timeoutMs must be a whole number from 1 to ${MAX_TIMEOUT_MS}`);
  return problems;
};
