/** URL of the repository, used in published manifests and documents. */
export const REPOSITORY = "https://github.com/framework/framework";
