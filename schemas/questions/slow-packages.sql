-- packages that took longest to load
SELECT name, excl, max, serialized_bytes, exports, first FROM packages ORDER BY excl DESC LIMIT 20;
