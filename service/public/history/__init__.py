"""What players see of a war that was fought: `war` (its plates, of the phases in `war_so_far`) and `gazette`
(each year as a printed page)."""
