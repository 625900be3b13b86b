import { nearest } from "@framework/core/feature";
import type { Problem } from "@framework/core";
import type { Source } from "./sources/sources.ts";

/**
 * Reports variables whose name is close to that of an unset setting.
 *
 * `.env` files belong to the program, so any similar name is reported. The environment has variables of other programs, so a name is reported only if
 * it is one edit away and has the same first word (`BOOKS_`).
 */
export const nearMisses = (
  sources: readonly Source[],
  known: ReadonlySet<string>,
  unset: readonly string[],
  ignore: readonly string[],
): Problem[] =>
  sources.flatMap((source) =>
    source.names
      .filter((name) => !known.has(name) && !ignore.includes(name))
      .flatMap((name) => {
        const candidates =
          source.name === "environment" ? unset.filter((each) => isOneEditAway(name, each)) : unset;
        const [near] = nearest(
          name,
          candidates.filter((each) => !differInDigits(name, each)),
        );
        const message = `${name} (${source.location(name)}) is not a setting: did you mean ${near}? Correct the name, or list it in ignore`;
        return near === undefined ? [] : [{ code: "CONFIG_MISSPELT", message }];
      }),
  );

const isOneEditAway = (a: string, b: string): boolean => {
  if (Math.abs(a.length - b.length) > 1 || a[0] !== b[0]) return false; // cheap check first: in a cluster, the environment may have thousands of variables
  const prefix = /^[^_]+_/.exec(b)?.[0];
  return (
    prefix !== undefined &&
    a.startsWith(prefix) &&
    differsOnce(a.slice(prefix.length), b.slice(prefix.length))
  );
};

/** Whether one insertion, deletion, replacement or transposition turns one text into the other. */
const differsOnce = (a: string, b: string): boolean => {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  const isSwap =
    restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2) && restA.length > 1;
  return isSwap || restA.slice(1) === restB.slice(1) || restA.slice(1) === restB || restA === restB.slice(1);
};

/** Names that differ only in a number, such as `SHARD_1` and `SHARD_2`, are a series. */
const differInDigits = (a: string, b: string): boolean =>
  a.replaceAll(/\d+/g, "0") === b.replaceAll(/\d+/g, "0");
