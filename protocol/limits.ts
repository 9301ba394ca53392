/**
 * Every limit that both sides of the wire rely on, with its unit in its name. Settings override defaults at the
 * edges of the program; nothing else in the house invents a number of this kind.
 * Invariant: the relations at the end of this file hold, or the program doesn't start.
 */

export const LIMITS = {
  /** Longest URL that is accepted, in bytes of its WHATWG serialisation. */
  urlBytes: 2048,
  /** Most path segments of an accepted URL. */
  pathSegments: 20,
  /** Most times that one path segment may stand in an accepted URL. */
  repeatedSegments: 3,
  /** Parameters of a query; each beyond three lowers the URL's priority before (docs/PRIORITY.md). */
  queryParameters: 20,
  /** URLs of one host that a crawl accepts in a budget cycle. */
  hostBudgetUrls: 50_000,
  /** The same of a registered domain, over all its hosts. */
  domainBudgetUrls: 200_000,
  /** Length of a budget cycle, counted from when the crawl was created. */
  budgetCycleMs: 7 * 24 * 3_600_000,
  /**
   * Queued URLs of one host in one crawl; more are refused at the door until some are settled. As large as the budget, so
   * that alone it loses nothing in a crawl's first cycle.
   */
  hostQueueUrls: 50_000,
  /** A host's budget is cut when at least so many of its pages were looked at ... */
  duplicatePages: 200,
  /** ... and this share of them, in a hundred, had the content of another; it is lifted below half of the share. */
  duplicatePercent: 80,
  /** The same for URLs that differ in the values of their query, or a token, alone (session ids). */
  sessionPages: 50,
  sessionDuplicatePercent: 90,
  /** Calendar pages in a row that are alike and lead to nothing new: of months and of days. */
  calendarBarrenMonths: 60,
  calendarBarrenDays: 400,
  /** Dates of one family of URLs that lie more than `calendarFutureYears` ahead. */
  calendarFutureDates: 24,
  calendarFutureYears: 5,
  /** Dates of one family of URLs, whatever they bring: more than the days of a century. */
  calendarDates: 40_000,
  /** Families of URLs that are watched for each host of a crawl. */
  familiesPerHost: 32,
  /** Most redirects that are followed from one URL. */
  redirectHops: 5,
  /** Most redirects that are followed for robots.txt (RFC 9309 2.3.1.2). */
  robotsRedirectHops: 5,
  /** Bytes of robots.txt that are read; the rest is ignored (RFC 9309 2.5 asks for at least 500 KiB). */
  robotsBytes: 512 * 1024,
  /** Age at which a robots.txt is fetched again (RFC 9309 2.4). */
  robotsTtlMs: 24 * 3_600_000,
  /** First wait after robots.txt couldn't be fetched; doubles up to `robotsRetryMaxMs`. */
  robotsRetryMs: 60_000,
  robotsRetryMaxMs: 12 * 3_600_000,
  /** Unbroken failure after which robots.txt counts as absent (RFC 9309 2.3.1.4). */
  robotsGiveUpMs: 30 * 24 * 3_600_000,
  /** Smallest gap between two request starts on one host. */
  delayMs: 1000,
  /**
   * Longest delay that a crawl or an operator may set. With a longer one robots.txt would be out of date whenever a
   * page's turn comes, and asked for again, for ever.
   */
  delayMaxMs: 12 * 3_600_000,
  /** The gap is at least this multiple of the last response time, up to `delayCapMs`. */
  delayFactor: 10,
  delayCapMs: 60_000,
  /** Crawl-delay up to here is honoured; a host that asks for more is skipped with a reason. */
  crawlDelayMaxMs: 300_000,
  /** Host back-off after 429/503 or repeated timeouts: first value and cap. */
  backoffMs: 5_000,
  backoffMaxMs: 300_000,
  /** Successes after which a host's back-off is halved. */
  backoffHalvesAfter: 5,
  /** A server's Retry-After is honoured up to here. */
  retryAfterMaxMs: 86_400_000,
  /** Tries of one URL before it is dead. */
  attempts: 3,
  /** First wait before a URL is tried again; doubles with each try. */
  retryMs: 10_000,
  /** Wall clock of one fetch, first byte sent to last byte received. */
  fetchWallMs: 30_000,
  connectMs: 10_000,
  /** Longest silence while headers or body are awaited. */
  idleMs: 15_000,
  /** Bytes of a body on the wire, and after decoding. */
  wireBytes: 10_000_000,
  decodedBytes: 10_000_000,
  /** Bytes of bodies, as received and decoded, that one edge holds before they are archived; then it starts nothing. */
  backlogBytes: 128 * 1024 * 1024,
  /** Bytes of a response head. */
  headerBytes: 64 * 1024,
  /** Decoded bytes of HTML that are scanned. */
  scanBytes: 2_000_000,
  /** Outlinks of one page that are reported. */
  outlinksPerPage: 10_000,
  /** The same of a sitemap (sitemaps.org: 50,000). */
  outlinksPerSitemap: 50_000,
  /** Sitemaps that one robots.txt may name; more are ignored. */
  sitemapsPerRobots: 50,
  /** Sitemap indexes within each other. */
  sitemapDepth: 3,
  /** How long a lease lasts from the grant (counted from *sending* the request on the edge). */
  leaseMs: 90_000,
  /** Age of the last confirmation after which an edge extends its lease before it starts a request. */
  confirmMs: 5_000,
  /** A request by permit reaches its host within this long after the time it was permitted for, or isn't sent. */
  permitStartMs: 3_000,
  /** A coordinator's word to another, carried by an edge, is taken for so long after it was given. */
  referralMs: 10_000,
  /** What the wall clocks of two coordinators may differ by: such a word counts for so much longer. */
  clockSkewMs: 60_000,
  /** Requests by permit on other hosts that one lease may make. */
  permitsPerLease: 64,
  /** Targets in one lease. */
  targetsPerLease: 50,
  /** Leases in one reply. */
  leasesPerReply: 64,
  /** Leases that one worker may hold; it is told to settle some before it gets more. */
  leasesPerWorker: 1024,
  /** Registered domain: requests under way at once; also starts in a window of `domainInFlight x domainGapMs`. */
  domainInFlight: 4,
  /** Mean gap between two starts on a registered domain at its limit; 0 = starts aren't limited. */
  domainGapMs: 250,
  /** IP address (IPv6: /64 network): the same two limits. */
  ipInFlight: 8,
  ipGapMs: 100,
  /** Addresses that one lease may ask permits for: one for each hop of a robots.txt, and a few that don't answer. */
  addressesPerLease: 8,
  /** Rows waiting for delivery at which a shard stops leasing. */
  outboxRows: 10_000,
  /** Outbox rows handed out with one lease reply. */
  outboxRowsPerReply: 16,
  /** Characters of what an edge says of its own trouble. */
  unhealthyChars: 500,
  /** URLs in one seed request. */
  seedsPerRequest: 10_000,
  /** Body of one API request; one page with the most and longest outlinks must fit. */
  apiBodyBytes: 24 * 1024 * 1024,
  /** Outcomes in one completion. */
  outcomesPerCompletion: 256,
  /** Bytes of a coordinator's word to another. */
  referralBytes: 2_048,
  /** Captures in one reply. */
  capturesPerReply: 1000,
  /** Longest a request of the API may take to be answered before the caller gives up and asks again. */
  apiReplyMs: 30_000,
  /** Wait before a frontier verb is sent again after a failure; doubles up to `apiRetryMaxMs`, with jitter. */
  apiRetryMs: 200,
  apiRetryMaxMs: 15_000,
  /** Requests that one host may be asked for at once, whatever a crawl or policy says. */
  hostInFlightMax: 64,
  /** Extra domains of a crawl's scope; patterns in each of its include and exclude lists; length of one pattern. */
  scopeDomains: 1000,
  scopePatterns: 64,
  scopePatternChars: 1024,
  /** Media types that a crawl may name. */
  contentTypes: 64,
  /** Cookies of one lease; characters of one, and of all that one request sends (RFC 6265 6.1 asks for 50 and 4096). */
  cookiesPerLease: 50,
  cookieChars: 4096,
  cookiesSentChars: 8192,
  /** Front queues: band 0 is the most urgent. */
  bands: 8,
} as const;

export type Limits = typeof LIMITS;

function relate(holds: boolean, sentence: string): void {
  if (!holds) throw new Error(`Limits contradict each other: ${sentence}.`);
}

relate(LIMITS.confirmMs < LIMITS.leaseMs, "confirmMs must be shorter than leaseMs");
relate(LIMITS.fetchWallMs < LIMITS.leaseMs, "a fetch must be able to end within its lease");
relate(LIMITS.connectMs < LIMITS.fetchWallMs, "connectMs must be shorter than fetchWallMs");
relate(LIMITS.scanBytes <= LIMITS.decodedBytes, "scanBytes can't exceed decodedBytes");
relate(LIMITS.robotsBytes >= 500 * 1024, "RFC 9309 2.5 asks for at least 500 KiB of robots.txt");
relate(
  LIMITS.outlinksPerPage * (LIMITS.urlBytes + 4) + LIMITS.headerBytes < LIMITS.apiBodyBytes,
  "one page's outlinks must fit into one request",
);
relate(LIMITS.apiReplyMs < LIMITS.leaseMs, "a lost reply must be noticed before a lease expires");
relate(LIMITS.apiRetryMs <= LIMITS.apiRetryMaxMs, "apiRetryMs can't exceed apiRetryMaxMs");
relate(LIMITS.domainInFlight * LIMITS.domainGapMs < LIMITS.leaseMs, "a domain's window must be shorter than a lease");
relate(LIMITS.ipInFlight * LIMITS.ipGapMs < LIMITS.leaseMs, "an address' window must be shorter than a lease");
relate(LIMITS.addressesPerLease > LIMITS.robotsRedirectHops, "each hop of a robots.txt may have an address of its own");
relate(2 * LIMITS.delayMaxMs <= LIMITS.robotsTtlMs, "a page's turn must come while its robots.txt counts");
relate(LIMITS.hostBudgetUrls <= LIMITS.domainBudgetUrls, "hostBudgetUrls can't exceed domainBudgetUrls");
relate(LIMITS.backoffMs <= LIMITS.backoffMaxMs, "backoffMs can't exceed backoffMaxMs");
