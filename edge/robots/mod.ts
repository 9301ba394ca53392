/** RFC 9309: from a robots.txt body to a decision on a URL. Pure; knows nothing of fetching or caching. */

export { decodeRobotsBody } from "./body.ts";
export { decide, type Decision } from "./decide.ts";
export { parseRobots, type RobotsRules } from "./parse.ts";
export { agentNames } from "./product_token.ts";
export { robotsClass } from "./robots_class.ts";
