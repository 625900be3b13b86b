import type { Command } from "../frame/command.ts";

export const clientCommand: Command = {
  name: "client",
  summary: "write the typed client of an app's API, or check that the written one is current",
  description: [
    "The document is the app's own, from its OpenAPI route without a server, or a file. The client is written by @framework/client, which the project needs.",
  ],
  arguments: [
    {
      name: "output",
      summary: "file to write, as src/api-client.ts; - is standard output",
      required: true,
      isFile: true,
    },
  ],
  options: [
    { name: "app", kind: "text", value: "module", summary: "module of the app", isFile: true },
    { name: "path", kind: "text", summary: "path of the document, /openapi.json by default" },
    {
      name: "document",
      kind: "text",
      value: "file",
      summary: "a document in a file instead of an app's",
      isFile: true,
    },
    {
      name: "check",
      kind: "flag",
      summary: "write nothing; fail if the file differs from what would be written",
    },
  ],
  examples: [
    "client src/api-client.ts",
    "client src/api-client.ts --check",
    "client client.ts --document openapi.json",
  ],
  fails: "there is no document, or with --check the file is missing or differs",
  load: async () => (await import("./write-client.ts")).writeClient,
};
