import { bundledProgram } from "@framework/bundled-sources";
import { startProgram } from "@framework/testing";
import { expect, test } from "@jest/globals";
const file = bundledProgram(new URL("./logged.test-program.ts", import.meta.url));
const conditions = ["@framework/source"];
test("under `run`, the framework's lines are in the stream, and --no-logs silences only request lines", async () => {
  for (const [flags, count] of [
    [[], 2],
    [["--no-logs"], 1],
  ] as const) {
    await using program = await startProgram(file, {
      args: ["--workers", "1", ...flags],
      conditions,
      env: { HOST: "127.0.0.1" }, // in a container the default would add a warning
    });
    await program.client.get("/fails");
    await program.stop("SIGTERM");
    const lines = program
      .output()
      .split("\n")
      .filter((line) => line.includes('"timestamp"'));
    expect(lines).toHaveLength(count);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: "error",
      message: "GET /fails failed: no luck",
      error: { message: "no luck" },
    });
  }
});
