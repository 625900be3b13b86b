import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { waitFor } from "@framework/testing";
import { thisPlace } from "./place.ts";

const startTimeOf = (pid: number): string => {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
};

(process.platform === "linux" ? describe : describe.skip)("on Linux", () => {
  test("this process is not gone, and its place is always the same", () => {
    const place = thisPlace();
    expect(thisPlace().id).toBe(place.id);
    expect(place.id).not.toBeNull();
    expect(place.isGone(place.pid, place.started)).toBe(false);
  });

  test("a process that was killed is gone", async () => {
    const child = spawn("sleep", ["600"]);
    const pid = child.pid ?? 0;
    const started = startTimeOf(pid);
    expect(thisPlace().isGone(pid, started)).toBe(false);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(thisPlace().isGone(pid, started)).toBe(true);
  });

  test("a process that reuses the id of an earlier one is distinguished from it", () => {
    const { pid, isGone } = thisPlace();
    expect(isGone(pid, "1")).toBe(true);
  });

  test("a suspended process is not gone, and a zombie is", async () => {
    // The shell replaces itself with a program that never reaps its child.
    const parent = spawn("sh", ["-c", "sleep 600 & echo $!; exec sleep 600"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const [line] = (await once(parent.stdout, "data")) as [Buffer];
      const pid = Number(line.toString());
      const started = startTimeOf(pid);
      const isReplaced = () => readFileSync(`/proc/${parent.pid}/comm`, "latin1").trim() === "sleep";
      await waitFor(isReplaced, { subject: "the shell to be replaced" }); // until then it may reap its child
      process.kill(pid, "SIGSTOP");
      expect(thisPlace().isGone(pid, started)).toBe(false);
      process.kill(pid, "SIGKILL");
      await waitFor(() => thisPlace().isGone(pid, started), { subject: "the child to be a zombie" });
      expect(() => process.kill(pid, 0)).not.toThrow(); // its id still exists
    } finally {
      parent.kill("SIGKILL");
    }
  });

  test("without a start time only the process id is compared", () => {
    const { pid, isGone } = thisPlace();
    expect(isGone(pid, null)).toBe(false);
  });
});
