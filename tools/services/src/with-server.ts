import { describe } from "@jest/globals";
import { services } from "./services.ts";

/**
 * Declares tests that need one of the servers; `declare` gets its address.
 *
 * Without that server they count as skipped, and the reason is printed; in CI a skipped test fails the run.
 *
 * @throws Error when there is no service of that name
 */
export const withServer = (name: string, declare: (url: string) => void): void => {
  const service = services.find((each) => each.name === name);
  if (service === undefined) throw new Error(`there is no service ${name}`);
  const url = process.env[service.variable];
  if (url === undefined)
    console.log(`skipped: ${service.variable} is not set, so there is no ${name} to test with`);
  const block = url === undefined ? describe.skip : describe;
  block(`with ${name}`, () => declare(url ?? ""));
};
