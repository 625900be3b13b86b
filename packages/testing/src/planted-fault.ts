import { reasonOf, testingError } from "./errors.ts";
import { inTime, unlessAborted } from "./in-time.ts";
import { type Make, type PortContract, type PortFact, runFact } from "./port-contract.ts";

/**
 * Runs a contract against an adapter that is broken on purpose; resolves with the names of the facts that noticed.
 *
 * A fact that does not end in time has noticed. An adapter that cannot be made proves nothing and is an error.
 *
 * @param options.timeoutMs milliseconds for each fact. @default 2000
 * @throws TESTING_CONTRACT_BLIND when every fact held; TESTING_BAD_OPTION when `makeBroken` threw
 */
export const expectContractToCatch = async <Port>(
  { title, facts }: PortContract<Port>,
  makeBroken: Make<Port>,
  { timeoutMs = 2000 }: { readonly timeoutMs?: number } = {},
): Promise<readonly string[]> => {
  const caught: string[] = [];
  for (const [name, fact] of Object.entries(facts)) {
    if (await fails(fact, makeBroken, timeoutMs)) caught.push(name);
  }
  if (caught.length > 0) return caught;
  throw testingError(
    "TESTING_CONTRACT_BLIND",
    `no fact of the contract "${title}" noticed the planted fault`,
  );
};

const fails = async <Port>(
  fact: PortFact<Port>,
  makeBroken: Make<Port>,
  timeoutMs: number,
): Promise<boolean> => {
  const unmade: unknown[] = [];
  const make = async (): Promise<Port> => {
    try {
      return await makeBroken();
    } catch (error) {
      unmade.push(error);
      throw error;
    }
  };
  const ended = inTime(
    timeoutMs,
    () => new Error("the fact did not end"),
    (deadline) => unlessAborted(runFact(fact, make), deadline),
  );
  const failed = await ended.then(
    () => false,
    () => true,
  );
  if (unmade.length === 0) return failed;
  const [error] = unmade;
  throw testingError("TESTING_BAD_OPTION", `the broken adapter cannot be made: ${reasonOf(error)}`, error);
};
