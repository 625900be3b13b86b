import { loadApp } from "../app/load-app.ts";
import { memberOf } from "../app/operated-app.ts";
import type { RunCommand } from "../frame/command.ts";
import { type Line, styled } from "../frame/text.ts";

/** `app.messaging`: the members that this command uses. */
interface DeclaredMessaging {
  declareTopology(mode: "create" | "verify"): Promise<readonly DeclaredBroker[]>;
}

interface DeclaredBroker {
  readonly broker: string;
  readonly system: string;
  readonly problems: readonly string[];
}

export const declareTopology: RunCommand = async (given, { cwd }) => {
  const app = await loadApp(given.text("app"), cwd);
  const messaging = memberOf<DeclaredMessaging>(app, "messaging", "messaging", "enableMessaging");
  const check = given.flag("check");
  const brokers = await messaging.declareTopology(check ? "verify" : "create");
  return {
    ok: brokers.every(({ problems }) => problems.length === 0),
    data: { brokers, check },
    lines: brokers.flatMap(linesOf),
  };
};

const linesOf = ({ broker, system, problems }: DeclaredBroker): readonly Line[] => {
  const label = broker === system ? broker : `${broker} (${system})`;
  return problems.length === 0
    ? [[styled("green", "current"), ` ${label}`]]
    : problems.map((problem): Line => [styled("red", "problem"), ` ${label}: ${problem}`]);
};
