import { FrameworkError } from "../errors/framework-error.ts";
import type { Awaitable } from "../middleware/middleware.ts";
import { badContract, type PortContract, type PortFact, runFact } from "./port-contract.ts";

/**
 * Runs a contract against an adapter that is broken on purpose. Resolves with the names of the facts that failed.
 *
 * A fact that does not end in time counts as failed.
 *
 * @param options.timeoutMs milliseconds for each fact. @default 2000
 * @throws CORE_CONTRACT_BLIND when every fact held; CORE_BAD_CONTRACT when `makeBroken` threw, which proves nothing
 */
export const expectContractToCatch = async <Fixture>(
  { title, facts }: PortContract<Fixture>,
  makeBroken: NoInfer<() => Awaitable<Fixture>>, // an inferred fixture would have arrays instead of tuples
  { timeoutMs = 2000 }: { readonly timeoutMs?: number } = {},
): Promise<readonly string[]> => {
  const caught: string[] = [];
  for (const [name, fact] of Object.entries(facts)) {
    if (await fails(fact, await createFixture(makeBroken), timeoutMs)) caught.push(name);
  }
  if (caught.length > 0) return caught;
  throw new FrameworkError(
    "CORE_CONTRACT_BLIND",
    `no fact of the contract "${title}" caught the planted fault`,
  );
};

const createFixture = async <Fixture>(make: () => Awaitable<Fixture>): Promise<Fixture> => {
  try {
    return await make();
  } catch (error) {
    throw badContract("the broken adapter cannot be created", error);
  }
};

const fails = async <Fixture>(
  fact: PortFact<Fixture>,
  fixture: Fixture,
  timeoutMs: number,
): Promise<boolean> => {
  const { promise: timedOut, resolve } = Promise.withResolvers<true>();
  const timer = setTimeout(() => resolve(true), timeoutMs);
  const failed = runFact(fact, fixture).then(
    () => false,
    () => true,
  );
  try {
    return await Promise.race([failed, timedOut]);
  } finally {
    clearTimeout(timer);
  }
};
