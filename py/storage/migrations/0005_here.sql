-- What no vendor has any more is `absent`; `missing` counts the checkpoint and LoRAs that are not on this machine.

DROP INDEX recipes_by_missing;
ALTER TABLE recipes RENAME COLUMN missing TO absent;
CREATE INDEX recipes_with_absent ON recipes (number) WHERE absent > 0;

ALTER TABLE recipes ADD COLUMN missing INTEGER NOT NULL DEFAULT 0;
CREATE INDEX recipes_by_missing ON recipes (missing, number);

-- 1 on this machine, 0 not, null where nobody has looked yet; only for checkpoints and LoRAs.
ALTER TABLE recipe_models ADD COLUMN here INTEGER;

-- Facets count all of these in one reading of the index, without a look at the recipes themselves.
CREATE INDEX recipes_by_marks ON recipes (base_model, nsfw_level, missing, favourite);

-- A small index in the order of import, so that a far page needs no walk through 100,000 whole recipes.
CREATE INDEX recipes_by_number ON recipes (number);
