import { expect, test } from "@jest/globals";
import type { Logger } from "./logger.ts";
import { redirectable } from "./redirectable.ts";

const noting = (name: string, lines: string[]): Logger => {
  const note = (message: string) => void lines.push(`${name} ${message}`);
  return { info: note, warn: note, error: note };
};

test("lines reach the latest target until its redirection is undone, in any order", () => {
  const lines: string[] = [];
  const log = redirectable(noting("own", lines));
  log.info("1");
  const undoA = log.redirect?.(noting("a", lines));
  log.warn("2");
  const undoB = log.redirect?.(noting("b", lines));
  log.error("3");
  undoA?.();
  undoA?.();
  log.info("4");
  undoB?.();
  log.info("5");
  expect(lines).toEqual(["own 1", "a 2", "b 3", "b 4", "own 5"]);
});
