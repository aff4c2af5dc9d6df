-- How mature a recipe's picture is: one of CivitAI's levels 1, 2, 4, 8, 16, or NULL where nobody has said.

ALTER TABLE recipes ADD COLUMN nsfw_level INTEGER;
-- Unknown counts as the lowest level; the filter asks in just these words.
CREATE INDEX recipes_by_nsfw_level ON recipes (ifnull(nsfw_level, 1));
