import type { OperationDefinition } from "@framework/core/feature";

/** A command as an operation of the kind `db`: its name, never its arguments. */
export const commandOperation: OperationDefinition<{ readonly name: string }> = {
  kind: "db",
  role: "client",
  describe: (command) => {
    const name = command.name.toUpperCase();
    return { name, attributes: { "db.system.name": "redis", "db.operation.name": name } };
  },
};
