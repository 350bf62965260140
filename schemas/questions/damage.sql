-- what is wrong with the capture
SELECT * FROM health;
