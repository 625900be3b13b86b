import { NotFoundError, ValueError } from "@framework/core";
import type { Panel } from "@framework/core/feature";
import { faultProblems, type FaultRule, faultsOf, isFaultRule } from "./fault-rule.ts";
import type { FaultInjector } from "./fault-injector.ts";

const MAX_RULES = 100;

/** Returns the panel that lists, adds and removes faults. @param change applies rules in every worker */
export const faultPanel = (
  faults: FaultInjector,
  change: (rules: readonly FaultRule[]) => Promise<void>,
): Panel => {
  const rules = (): readonly FaultRule[] => faults.current.map(({ rule }) => rule);
  return {
    name: "faults",
    title: "Faults",
    scope: "worker",
    read: () => ({
      note:
        faults.current.length === 0
          ? "No active faults"
          : "Faults are active: requests or calls fail on purpose",
      columns: ["Name", "On", "Fault", "Share of calls", "Milliseconds", "Status", "Calls changed"],
      rows: faults.current.map(({ rule, hits }, at) => ({
        id: String(at),
        cells: [
          rule.name ?? "*",
          rule.on,
          rule.fault,
          rule.probability ?? 1,
          rule.ms ?? 1000,
          rule.status ?? 503,
          hits,
        ],
      })),
    }),
    actions: [
      {
        name: "add",
        label: "Add a fault",
        on: "panel",
        fields: [
          { name: "on", label: "On", options: Object.keys(faultsOf) },
          { name: "name", label: "Route, or kind of call", value: "*" },
          {
            name: "fault",
            label: "Fault",
            options: [...new Set(Object.values(faultsOf).flat())],
          },
          { name: "probability", label: "Share of calls, 0 to 1", value: "1" },
          { name: "ms", label: "Milliseconds", value: "1000" },
          { name: "status", label: "Status of errors", value: "503" },
        ],
        async run(_, { on, name, fault, probability, ms, status }) {
          const rule: unknown = {
            on,
            name: name === "" ? undefined : name,
            fault,
            probability: numberOf(probability),
            ms: numberOf(ms),
            status: numberOf(status),
          };
          if (!isFaultRule(rule)) {
            const problems = faultProblems(rule).map((problem) => problem.slice(1)); // without the dot before the field
            throw new ValueError(`The fault is invalid: ${problems.join(", ")}`);
          }
          if (faults.current.length >= MAX_RULES)
            throw new ValueError(`There are ${MAX_RULES} faults already`);
          await change([...rules(), rule]);
          return `The fault ${rule.fault} is active`;
        },
      },
      {
        name: "clear",
        label: "Remove all",
        on: "panel",
        async run() {
          await change([]);
          return "No active faults";
        },
      },
      {
        name: "remove",
        label: "Remove",
        on: "row",
        async run(row) {
          const remaining = rules().filter((_, at) => String(at) !== row);
          if (remaining.length === rules().length) throw new NotFoundError("The fault no longer exists");
          await change(remaining);
        },
      },
    ],
  };
};

/** Returns the number in a field of the form; an empty field has the default of the rule. */
const numberOf = (text = ""): number | undefined => (text.trim() === "" ? undefined : Number(text));
