import { expect, test } from "@jest/globals";
import type { Logger } from "./logger.ts";
import { redirectable } from "./redirectable.ts";

const recorder = (name: string, lines: string[]): Logger => {
  const record = (message: string) => void lines.push(`${name} ${message}`);
  return { info: record, warn: record, error: record };
};

test("lines go to the latest redirection that is not undone; redirections can be undone in any order", () => {
  const lines: string[] = [];
  const log = redirectable(recorder("own", lines));
  log.info("1");
  const undoA = log.redirect?.(recorder("a", lines));
  log.warn("2");
  const undoB = log.redirect?.(recorder("b", lines));
  log.error("3");
  undoA?.();
  undoA?.();
  log.info("4");
  undoB?.();
  log.info("5");
  expect(lines).toEqual(["own 1", "a 2", "b 3", "b 4", "own 5"]);
});
