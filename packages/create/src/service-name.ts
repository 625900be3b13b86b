import { FrameworkError } from "@framework/core";

const NAME = /^[a-z](?:-?[a-z0-9])*$/;
const MAX_LENGTH = 40;

/** Words that YAML parses as another type than a string. */
const yamlWords: ReadonlySet<string> = new Set(["false", "n", "no", "null", "off", "on", "true", "y", "yes"]);

/** Text that YAML 1.1 parses as a number, although it begins with a letter. */
const YAML_NUMBER = /^e-?\d+$/;

/**
 * Whether a text is a valid service name. It becomes the name of a folder, an npm package, a container image, a systemd unit and Kubernetes objects, so it
 * must be a DNS label.
 */
export const isServiceName = (text: unknown): boolean => isName(text) && !isYamlValue(text);

const isName = (text: unknown): text is string =>
  typeof text === "string" && NAME.test(text) && text.length <= MAX_LENGTH;

const isYamlValue = (text: string): boolean => yamlWords.has(text) || YAML_NUMBER.test(text);

/** Checks the name of a service. @throws CREATE_BAD_NAME */
export const checkName = (name: unknown): void => {
  if (isServiceName(name)) return;
  if (isName(name))
    throw new FrameworkError(
      "CREATE_BAD_NAME",
      `${JSON.stringify(name)} cannot name a service: YAML parses it as another type than a string; choose another name, such as my-service`,
    );
  throw new FrameworkError(
    "CREATE_BAD_NAME",
    `${JSON.stringify(name)} cannot name a service: use 1 to ${MAX_LENGTH} lower-case letters, digits and single dashes, starting with a letter, such as my-service`,
  );
};
