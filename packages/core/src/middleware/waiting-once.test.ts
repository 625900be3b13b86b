import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { compose, type Handler, isPromise, mapOutput, type Middleware } from "./middleware.ts";
import { waitsOnce } from "./waiting-once.ts";

type Level = Middleware<number, string>;

/** Middleware that satisfies the rules of `waitsOnce`. */
const levels: Readonly<Record<string, Level>> = {
  passes: (input, next) => next(input),
  converts: (input, next) => mapOutput(next(input), (output, given) => `${output}+${given}`, input),
  convertsLate: (input, next) => mapOutput(next(input), async (output) => `late ${output}`, input),
  throwsAfter: (input, next) =>
    mapOutput(
      next(input),
      () => {
        throw new Error("after");
      },
      input,
    ),
  throwsLate: (input, next) => mapOutput(next(input), () => Promise.reject(new Error("late")), input),
  throwsBefore: () => {
    throw new Error("before");
  },
  refuses: () => "refused",
  waitsBefore: async (input, next) => {
    await Promise.resolve();
    return next(input);
  },
  doubles: (input, next) => next(2 * input),
};

const handlers: Readonly<Record<string, Handler<number, string>>> = {
  answers: (input) => `answer ${input}`,
  answersLate: async (input) => `late answer ${input}`,
  throws: () => {
    throw new Error("handler");
  },
  throwsLate: async () => {
    throw new Error("late handler");
  },
};

/** Returns the output of a chain and the log of its rescued errors and accepted outputs. */
const runChain = async (names: readonly string[], handler: string, once: readonly boolean[]) => {
  const log: string[] = [];
  const chain = names.map((name, index): Level => {
    const level = levels[name] as Level;
    const own: Level = (input, next) => level(input, next);
    return once[index] === true ? waitsOnce(own) : own;
  });
  const handle = compose(
    chain,
    handlers[handler] as Handler<number, string>,
    (error, input) => {
      log.push(`rescued ${String(error)} of ${input}`);
      return "rescue";
    },
    (output, input) => {
      log.push(`accepted ${output} of ${input}`);
      return output;
    },
    once.at(-1),
  );
  return { output: await handle(1), log };
};

test("a chain has the same output, rescued errors and accepted outputs, whichever of its levels are marked with `waitsOnce`", async () => {
  const name = fc.constantFrom(...Object.keys(levels));
  const plain = Array.from({ length: 9 }, () => false);
  await fc.assert(
    fc.asyncProperty(
      fc.array(name, { maxLength: 8 }),
      fc.constantFrom(...Object.keys(handlers)),
      fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }),
      async (names, handler, once) => {
        expect(await runChain(names, handler, once)).toEqual(await runChain(names, handler, plain));
      },
    ),
  );
});

test("levels that wait once share one `then` call on the handler's promise", async () => {
  let thenCalls = 0;
  class Counted extends Promise<string> {
    // oxlint-disable-next-line unicorn/no-thenable -- counts the calls of then
    override then<A, B>(...args: Parameters<Promise<string>["then"]>): Promise<A | B> {
      thenCalls++;
      return super.then(...args) as Promise<A | B>;
    }
  }
  const counted = Counted.resolve("done");
  const pass = (input: number, next: Handler<number, string>) =>
    mapOutput(next(input), (output) => `${output}!`, null);
  const chain = [waitsOnce<Level>((input, next) => pass(input, next)), waitsOnce<Level>(pass)];
  const output = compose(
    chain,
    () => counted,
    () => "rescue",
    undefined,
    true,
  )(1);
  expect(isPromise(output)).toBe(true);
  expect(thenCalls).toBe(0);
  expect(await output).toBe("done!!");
  expect(thenCalls).toBe(1);
});
