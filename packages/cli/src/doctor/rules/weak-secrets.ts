import type { DoctorRule } from "./facts.ts";

/** Variables for secrets with a value that everybody tries first. */
export const weakSecrets: DoctorRule = ({ files, workloads }) =>
  [...files.map(({ path, variables }) => ({ place: path, variables })), ...workloads].flatMap(
    ({ place, variables }) =>
      [...variables]
        .filter(([name, value]) => FOR_SECRETS.test(name) && isGuessable(value))
        .map(([name]) => ({
          code: "CLI_WEAK_SECRET",
          message: `${name} in ${place} is a placeholder that is guessed at once; generate one: openssl rand -base64 32`,
        })),
  );

const FOR_SECRETS = /(?:SECRET|PASSWORD|PASSPHRASE|TOKEN|PRIVATE_KEY|API_KEY|SIGNING_KEY)$/i;

const PLACEHOLDER =
  /^(?:(?:my|your|the|a)?[-_ ]?(?:super)?[-_ ]?(?:secret|password|token|key)(?:[-_ ]?key)?|change[-_ ]?(?:me|this|it)|admin|root|test|dev|default|example|pass|letmein|qwerty|foo|bar|x+|1234\d*|todo|password\d*|postgres)$/i;

const isGuessable = (value: string): boolean =>
  value !== "" && (PLACEHOLDER.test(value) || /^(.)\1*$/.test(value));
