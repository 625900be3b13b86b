import { once } from "node:events";
import { bundledProgram } from "@framework/bundled-sources";
import { startProgram, waitFor } from "@framework/testing";
import { expect, test } from "@jest/globals";
import { WebSocket } from "ws";

test("a room spans all workers", async () => {
  const args = ["--workers", "3"];
  const file = bundledProgram(new URL("./rooms.test-program.ts", import.meta.url));
  await using program = await startProgram(file, { args, conditions: ["@framework/source"] });
  const url = program.url.replace("http", "ws").replace(/\/$/, "");
  const seen: string[][] = [];
  const clients: WebSocket[] = [];
  const open = async (): Promise<void> => {
    const client = new WebSocket(`${url}/rooms/a`);
    const texts: string[] = [];
    client.on("message", (data: Buffer) => texts.push(data.toString()));
    await once(client, "open");
    clients.push(client);
    seen.push(texts);
  };
  while (clients.length < 30) await open();
  await waitFor(() => seen.every((texts) => texts.length > 0));
  const workers = new Set(seen.map(([joined]) => joined));
  expect(workers.size).toBeGreaterThan(1);
  clients[0]?.send("to all");
  await waitFor(() => seen.slice(1).every((texts) => texts.includes("to all")));
  expect(seen[0]).not.toContain("to all");
  for (const client of clients) client.terminate();
});
