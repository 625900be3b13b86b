import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { bundledProgram } from "@framework/bundled-sources";
import { databaseInSchema } from "@framework/database/testing";
import { sharedSchema, withServer } from "@framework/services";
import { expect, test } from "@jest/globals";

const run = promisify(execFile);

withServer("postgres", (server) => {
  test("processes that start together on a new database all run sagas", async () => {
    await using database = await databaseInSchema(server);
    await using tables = sharedSchema(server);
    const program = bundledProgram(new URL("./testing/first-start.test-program.ts", import.meta.url));
    const env = { ...process.env, DATABASE: database.url, SERVER: server, SCHEMA: tables.name };
    const start = () => run(process.execPath, ["--conditions=@framework/source", program], { env });
    const printed = await Promise.all([start(), start(), start()]);
    expect(printed.map(({ stdout }) => stdout)).toEqual(["running\n", "running\n", "running\n"]);
  }, 180_000);
});
