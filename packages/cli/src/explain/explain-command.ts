import type { Command } from "../frame/command.ts";

export const explainCommand: Command = {
  name: "explain",
  summary: "explain an error code: cause, remedy and what the installed documents say",
  description: ["Without a code it lists the codes of every installed package. Nothing is fetched."],
  arguments: [{ name: "code", summary: "code of an error or a warning: CORE_PORT_IN_USE" }],
  options: [],
  examples: ["explain CORE_PORT_IN_USE", "explain", "explain --json"],
  fails: "no installed package has the code",
  load: async () => (await import("./explain-code.ts")).explain,
};
