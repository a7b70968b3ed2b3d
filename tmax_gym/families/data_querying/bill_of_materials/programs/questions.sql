--@ schema
CREATE TABLE parts (code TEXT PRIMARY KEY, name TEXT, cost_cents INTEGER, days INTEGER);
CREATE TABLE uses (parent TEXT, child TEXT, quantity INTEGER, valid_from TEXT, valid_to TEXT);
--@ now
CREATE TEMP VIEW now AS SELECT parent, child, quantity FROM uses
 WHERE valid_from <= '@day' AND (valid_to IS NULL OR valid_to > '@day');
CREATE TEMP VIEW tops AS SELECT DISTINCT parent AS code FROM now
 WHERE parent NOT IN (SELECT child FROM now);
--@ exploded
WITH RECURSIVE need (code, n) AS (
 SELECT '@product', 1 UNION ALL
 SELECT now.child, need.n * now.quantity FROM need JOIN now ON now.parent = need.code)
SELECT code AS part, SUM(n) AS quantity FROM need
WHERE code NOT IN (SELECT parent FROM now) GROUP BY 1 ORDER BY 1;
--@ where_used
WITH RECURSIVE up (code, level) AS (
 SELECT '@common', 0 UNION
 SELECT now.parent, up.level + 1 FROM up JOIN now ON now.child = up.code)
SELECT code AS assembly, MIN(level) AS level FROM up WHERE level > 0 GROUP BY 1 ORDER BY 1;
--@ costs
WITH RECURSIVE need (top, code, n) AS (
 SELECT code, code, 1 FROM tops UNION ALL
 SELECT need.top, now.child, need.n * now.quantity FROM need JOIN now ON now.parent = need.code)
SELECT top AS product, SUM(n * cost_cents) AS cents FROM need JOIN parts USING (code)
GROUP BY 1 ORDER BY 2 DESC, 1;
--@ lead
WITH RECURSIVE chain (top, code, total) AS (
 SELECT code, code, days FROM tops JOIN parts USING (code) UNION ALL
 SELECT chain.top, now.child, chain.total + parts.days
 FROM chain JOIN now ON now.parent = chain.code JOIN parts ON parts.code = now.child)
SELECT top AS product, MAX(total) AS days FROM chain GROUP BY 1 ORDER BY 1;
--@ unused
CREATE TEMP TABLE gone AS SELECT parent AS code FROM uses UNION SELECT child FROM uses
EXCEPT SELECT parent FROM now EXCEPT SELECT child FROM now;
SELECT code FROM gone UNION ALL SELECT 'none' WHERE NOT EXISTS (SELECT 1 FROM gone) ORDER BY 1;
