/**
 * How edges judge a URL by a robots.txt, for the control plane's explanations.
 * Invariant: by the code that edges decide with.
 */

import type { RobotsJudge } from "../coordinator/explain_ports.ts";
import { decide, parseRobots } from "../edge/robots/mod.ts";

export const robotsJudge: RobotsJudge = (robots, productToken, url) => {
  const { allowed, rule, line } = decide(parseRobots(robots, productToken), url);
  return { allowed, rule, line };
};
