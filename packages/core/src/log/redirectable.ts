import type { Logger } from "./logger.ts";

/** Adds `redirect` to a logger; the latest active redirection wins. */
export const redirectable = (own: Logger): Logger => {
  const targets: Logger[] = [own];
  const current = (): Logger => targets.at(-1) ?? own;
  return {
    info: (message, fields) => current().info(message, fields),
    warn: (message, fields) => current().warn(message, fields),
    error: (message, fields) => current().error(message, fields),
    redirect(to) {
      const target: Logger = {
        info: (message, fields) => to.info(message, fields),
        warn: (message, fields) => to.warn(message, fields),
        error: (message, fields) => to.error(message, fields),
      };
      targets.push(target);
      return () => {
        const index = targets.indexOf(target);
        if (index > 0) targets.splice(index, 1);
      };
    },
  };
};
